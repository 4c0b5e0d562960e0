// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends in the way argv[1]: abort, quick_exit, _Exit (both with status 4), exit_group (with status
// 5, by system call), trap (an instruction that is none).
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(4);
    if (strcmp(way, "_Exit") == 0)
        _Exit(4);
    if (strcmp(way, "exit_group") == 0)
        syscall(SYS_exit_group, 5);
    if (strcmp(way, "trap") == 0)
        __builtin_trap();
    return 111;
}
