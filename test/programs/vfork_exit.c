// SPDX-License-Identifier: LGPL-2.1-or-later
// Its child, made by vfork, calls exit(), and so runs the exit handlers in this program's memory.
// Then it makes the file argv[1] and waits for a signal.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    pid_t child = vfork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    if (argc > 1)
        close(open(argv[1], O_WRONLY | O_CREAT, 0666));
    for (;;)
        pause();
}
