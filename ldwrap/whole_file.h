/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_WHOLE_FILE_H
#define JOBTRAIL_LDWRAP_WHOLE_FILE_H

#include <stddef.h>

/* Reads what `fd` holds from its start, `limit` bytes at the most, into malloc'ed memory with a NUL
 * behind it. For regular files and /proc. Returns 0 or -errno (-EFBIG beyond the limit). */
int whole_file_read(int fd, size_t limit, char **text, size_t *size);

/* The same for a path, which must not be a directory; a special file is refused with -EINVAL. */
int whole_file_open_read(const char *path, size_t limit, char **text, size_t *size);

#endif
