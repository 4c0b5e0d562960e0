/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/* Closes all descriptors of the process except for the `count` at `keep`, of which negative ones
 * are passed over. 0, 1 and 2, where they are not kept, become /dev/null, except for 2 under
 * AddressSanitizer. Where the kernel has no close_range(2) (Linux before 5.9), or a sandbox does
 * not allow it, the open ones are listed in /proc/self/fd. Returns 0; -ENOSPC where more than 16
 * are to be kept; or -errno: then any of them may be closed. */
int descriptors_keep(const int *keep, size_t count);

/* Blocks SIGTERM and SIGINT, and the `count` others at `more`. Returns a descriptor to read them
 * from (signalfd(2)), without waiting, which the caller closes; or -errno. */
int signal_fd(const int *more, size_t count);
