// SPDX-License-Identifier: LGPL-2.1-or-later
// A library whose destructor makes the file HANGS, and returns when there is a file HANGS_UNTIL.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((destructor)) static void hang(void)
{
    const char *path = getenv("HANGS");
    if (path == NULL)
        return;
    close(open(path, O_WRONLY | O_CREAT, 0666));
    const char *until = getenv("HANGS_UNTIL");
    while (until == NULL || access(until, F_OK) != 0)
        usleep(10000);
}
