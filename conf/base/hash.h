/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SHA-1 as a key under which equal things are stored once; nothing here relies on it for security.
 */
#ifndef JOBTRAIL_HASH_H
#define JOBTRAIL_HASH_H

#include <stdbool.h>
#include <stddef.h>

struct digest {
    unsigned char bytes[20];
};

/* The digest of the `count` pieces, each of `sizes[i]` bytes at `pieces[i]`, with a NUL byte
 * between two. Returns 0; -ENOTSUP when the host's crypto policy has no SHA-1; -ENOMEM. */
int hash_pieces(const void *const *pieces, const size_t *sizes, size_t count,
                struct digest *digest);

/* The same of one piece. */
int hash_bytes(const void *data, size_t size, struct digest *digest);

/* Frees what the calling thread keeps between digests; it can make others after that. */
void hash_end_thread(void);

/* From 40 hex digits and a NUL; false when the text is something else. */
bool hash_from_hex(const char *hex, struct digest *digest);

#endif
