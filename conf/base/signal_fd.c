/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/signal_fd.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

int signal_fd(const int *more, size_t count)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    for (size_t i = 0; i < count; i++)
        sigaddset(&set, more[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}
