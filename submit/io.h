/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading and writing whole, in spite of signals and short counts.
 */
#ifndef JOBTRAIL_IO_H
#define JOBTRAIL_IO_H

#include <stddef.h>

/* Returns 0 or -errno. */
int io_write_all(int fd, const void *bytes, size_t size);

#endif
