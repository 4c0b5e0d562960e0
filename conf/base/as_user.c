/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/as_user.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/privileges.h"
#include "conf/base/process.h"
#include "conf/base/sandbox.h"

enum { PATIENCE_MS = 10000 };

static int as_user_run(const struct as_user_order *order)
{
    const size_t count = sizeof order->keep / sizeof order->keep[0];
    int error = privileges_drop(order->uid, order->gid, order->keep, count);
    if (error == 0)
        error = sandbox_enter(SANDBOX_RENAMES);
    return error != 0 ? error : order->act(order->context);
}

int as_user(const struct as_user_order *order)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(as_user_run(order) != 0);
    if (pid < 0)
        return -errno;
    if (!process_reap(pid, PATIENCE_MS, &status)) {
        kill(pid, SIGKILL); /* it may hang in a file system */
        return -ETIMEDOUT;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}
