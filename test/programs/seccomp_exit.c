// SPDX-License-Identifier: LGPL-2.1-or-later
// Gives up nearly all system calls, prints "in" and ends by exit(3):
//
//   seccomp_exit strict   seccomp(2)'s strict mode, in which exit_group(2) is SIGKILL too
//   seccomp_exit filter   a filter that kills on whatever is not write(2) or exit_group(2)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int confine(const char *how)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    if (strcmp(how, "strict") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    if (argc < 2 || confine(argv[1]))
        return 111;
    if (write(STDOUT_FILENO, "in\n", 3) != 3)
        return 111;
    exit(3);
}
