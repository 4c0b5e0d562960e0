/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Signals that a loop waits for with poll(2), instead of being interrupted by them.
 */
#ifndef JOBTRAIL_SIGNAL_FD_H
#define JOBTRAIL_SIGNAL_FD_H

#include <stddef.h>

/* Blocks SIGTERM and SIGINT, and the `count` others at `more`. Returns a descriptor to read them
 * from (signalfd(2)), without waiting, which the caller closes; or -errno. */
int signal_fd(const int *more, size_t count);

#endif
