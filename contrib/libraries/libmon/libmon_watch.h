/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-libmon watch: one process reads the kernel's events of changes. Scans, and the count of
 * uses, run in children, so that these events never wait.
 */
#pragma once

#include "conf/conf.h"
#include "contrib/libraries/scan/library_scan.h"

/* What the caller does. */
struct libmon_watch_calls {
    /* Makes one scan, in a child process, and returns whether all changes are reported. */
    bool (*scan)(void *context);
    /* Whether the configuration is another one by now. */
    bool (*is_other)(void *context);
    void *context;
};

/* Watches until SIGTERM or SIGINT. Returns 0 then; 1 where the configuration is another one;
 * -EWOULDBLOCK where another watch runs; or another -errno, after saying what is wrong. */
int libmon_watch(const struct conf *conf, const struct libmon_watch_calls *calls);
