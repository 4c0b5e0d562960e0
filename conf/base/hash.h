/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SHA-1 as a key under which equal things are stored once; nothing here relies on it for security.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct digest {
    unsigned char bytes[20];
};

/* The digest of the `count` pieces, each of `sizes[i]` bytes at `pieces[i]`, with a NUL byte
 * between two. */
void hash_pieces(const void *const *pieces, const size_t *sizes, size_t count,
                 struct digest *digest);

/* The same of one piece. */
void hash_bytes(const void *data, size_t size, struct digest *digest);

/* ---- What was looked up by a digest ---------------------------------------------------------- */

/* Ids under the SHA-1 of what has them, in memory: a loader asks the database for each id once. */

struct id_cache {
    struct id_cache_slot *slots; /* a power of two, open addressing; NULL at first */
    size_t size, used;
};

/* The id under the digest, 0 when there is none. */
int64_t id_cache_find(const struct id_cache *cache, const struct digest *digest);

/* Adds it, or gives it another id. Does nothing when out of memory. */
void id_cache_add(struct id_cache *cache, const struct digest *digest, int64_t id);

/* Forgets all ids when there are many; they have to be asked for again. */
void id_cache_trim(struct id_cache *cache);

void id_cache_clear(struct id_cache *cache);
void id_cache_free(struct id_cache *cache);
