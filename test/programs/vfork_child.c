// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts the program argv[1] through vfork and exec, waits for it and ends with its exit status;
// without an argument the child ends by _exit(0).
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    pid_t child = vfork();

    if (child < 0)
        return 111;
    if (child == 0) {
        if (argc > 1)
            execv(argv[1], argv + 1);
        _exit(argc > 1 ? 127 : 0);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 111;
    return WEXITSTATUS(status);
}
