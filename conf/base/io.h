/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading and writing whole, in spite of signals and short counts.
 */
#ifndef JOBTRAIL_IO_H
#define JOBTRAIL_IO_H

#include <stddef.h>
#include <sys/uio.h>

/* Returns 0 or -errno. */
int io_write_all(int fd, const void *bytes, size_t size);

/* The same for `count` parts, one after the other. */
int io_write_parts(int fd, const struct iovec *parts, int count);

#endif
