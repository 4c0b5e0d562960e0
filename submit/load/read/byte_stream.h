/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bytes of a file or pipe, decompressed when they are gzip's or xz's, whatever the name.
 */
#ifndef JOBTRAIL_BYTE_STREAM_H
#define JOBTRAIL_BYTE_STREAM_H

#include <stddef.h>
#include <sys/types.h>

struct byte_stream;

/* Takes the descriptor, which stays the caller's. NULL when out of memory. */
struct byte_stream *byte_stream_new(int fd);

/* Up to `size` bytes, at least one; 0 at the end of what is there, after which a plain file that
 * grew can be read on. Returns -errno: -EBADMSG when compressed data is damaged, -ENODATA when it
 * ends too early, -EPROTONOSUPPORT when it is of another program, -EAGAIN when a pipe has nothing
 * for a second. */
ssize_t byte_stream_read(struct byte_stream *stream, char *bytes, size_t size);

/* Takes NULL. */
void byte_stream_free(struct byte_stream *stream);

#endif
