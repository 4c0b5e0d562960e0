/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_DESCRIPTORS_H
#define JOBTRAIL_DESCRIPTORS_H

#include <stddef.h>

/* Closes every descriptor of the process but the `count` at `keep`, of which negative ones stand
 * for none. 0, 1 and 2 lead to /dev/null then, where they are not kept (but 2 under
 * AddressSanitizer). Where the kernel has no
 * close_range(2) (Linux before 5.9), or a sandbox does not allow it, /proc/self/fd says what there
 * is. Returns 0; -ENOSPC where more than 16 are to be kept; or -errno, with any of them closed. */
int descriptors_keep(const int *keep, size_t count);

#endif
