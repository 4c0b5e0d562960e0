/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/watch_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool kept_child_runs(struct kept_child *child)
{
    if (child->pid > 0 && waitpid(child->pid, NULL, WNOHANG) == 0)
        return true;
    if (child->ended > 0)
        close(child->ended);
    *child = (struct kept_child){.pid = 0};
    return false;
}

void kept_child_start(struct kept_child *child, const char *program, char *const argv[])
{
    const pid_t parent = getpid();
    pid_t pid = fork();
    if (pid > 0) {
        int ended = (int)syscall(SYS_pidfd_open, pid, 0);
        *child = (struct kept_child){.pid = pid, .ended = ended < 0 ? 0 : ended};
    }
    if (pid != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    execv(program, argv);
    _exit(127);
}
