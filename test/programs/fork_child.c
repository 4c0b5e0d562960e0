// SPDX-License-Identifier: LGPL-2.1-or-later
// Forks a child that ends by exit(argv[1]), waits for it and ends with its exit status.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        return 111;
    if (child == 0)
        exit(argc > 1 ? atoi(argv[1]) : 0);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 111;
    return WEXITSTATUS(status);
}
