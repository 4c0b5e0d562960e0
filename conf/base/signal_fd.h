/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Signals that a loop waits for with poll(2), instead of being interrupted by them.
 */
#ifndef JOBTRAIL_SIGNAL_FD_H
#define JOBTRAIL_SIGNAL_FD_H

#include <stdbool.h>

/* Blocks SIGTERM and SIGINT, and SIGCHLD if `has_children`. Returns a descriptor to read them from
 * (signalfd(2)), without waiting, which the caller closes; or -errno. */
int signal_fd(bool has_children);

#endif
