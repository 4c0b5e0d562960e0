// SPDX-License-Identifier: LGPL-2.1-or-later
// A library whose destructor makes the file HANGS and does not return.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((destructor)) static void hang(void)
{
    const char *path = getenv("HANGS");
    if (path == NULL)
        return;
    close(open(path, O_WRONLY | O_CREAT, 0666));
    for (;;)
        pause();
}
