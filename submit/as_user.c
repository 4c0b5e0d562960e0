/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "as_user.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privileges.h"
#include "process.h"

enum { PATIENCE_MS = 10000 };

int as_user(uid_t uid, gid_t gid, int (*act)(const void *context), const void *context)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(privileges_drop(uid, gid) != 0 || act(context) != 0);
    if (pid < 0)
        return -errno;
    if (!process_reap(pid, PATIENCE_MS, &status)) {
        kill(pid, SIGKILL); /* it may hang in a file system */
        return -ETIMEDOUT;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}
