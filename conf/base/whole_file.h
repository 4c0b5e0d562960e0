/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files read whole into memory.
 */
#ifndef JOBTRAIL_WHOLE_FILE_H
#define JOBTRAIL_WHOLE_FILE_H

#include <stddef.h>

/* Reads what `fd` holds from its start, `limit` bytes at the most, into malloc'ed memory with a NUL
 * behind it. For regular files and /proc. Returns 0 or -errno (-EFBIG beyond the limit). */
int whole_file_read(int fd, size_t limit, char **text, size_t *size);

/* The same of a regular file; any other kind is -EINVAL. Takes the descriptor over, in every case;
 * a negative one is the -errno of who tried to open it. */
int whole_file_take(int fd, size_t limit, char **text, size_t *size);

/* The same of the file `path`. Symbolic links are followed. */
int whole_file_open_read(const char *path, size_t limit, char **text, size_t *size);

#endif
