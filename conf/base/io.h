/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading and writing whole, in spite of signals and short counts.
 */
#pragma once

#include <stddef.h>
#include <sys/uio.h>

/* Writes all of it. Returns 0 or -errno. */
int io_write_all(int fd, const void *bytes, size_t size);

/* The same for `count` parts, one after the other. */
int io_write_parts(int fd, const struct iovec *parts, int count);

/* Reads up to `size` bytes, less only where the file ends. Returns how many or -errno. */
ssize_t io_read(int fd, void *bytes, size_t size);

/* The same from `offset` on: the descriptor's place stays as it is. */
ssize_t io_read_at(int fd, void *bytes, size_t size, off_t offset);

/* Reads the start of the file `path` below the descriptor `at`, up to `size` - 1 bytes, and puts a
 * NUL after it: for files of the size of a few lines, as in /proc. Does not follow a symbolic link
 * that `path` names, nor wait for who writes to a FIFO. Returns the length or -errno: then the text
 * is empty. */
ssize_t io_read_text(int at, const char *path, char *text, size_t size);

/* ---- Regular files ----------------------------------------------------------------------------
 */

/* Opens the file of an O_PATH descriptor itself for reading, whatever has its name now. Returns a
 * descriptor or -errno: -EINVAL where it is not regular. */
int io_reopen_regular(int place);

/* The same of the file `path` below the descriptor `at`, which others have named: to open a device
 * or a FIFO may do something, so it is looked at before. `flags`: O_NOFOLLOW, O_NOATIME (which is
 * left out where it is refused), or 0. */
int io_open_regular(int at, const char *path, int flags);

/* ---- Files read whole ------------------------------------------------------------------------ */

/* Files read whole into memory. */

/* Reads what `fd` holds from its start, `limit` bytes at the most, into malloc'ed memory with a NUL
 * behind it. For regular files and /proc. Returns 0 or -errno (-EFBIG beyond the limit). */
int whole_file_read(int fd, size_t limit, char **text, size_t *size);

/* The same of a regular file; any other kind is -EINVAL. Takes the descriptor over, in every case;
 * a negative one is the -errno of who tried to open it. */
int whole_file_take(int fd, size_t limit, char **text, size_t *size);

/* The same of the file `path`. Symbolic links are followed. */
int whole_file_open_read(const char *path, size_t limit, char **text, size_t *size);
