/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ids under the SHA-1 of what has them, in memory: a loader asks the database for each id once.
 */
#ifndef JOBTRAIL_ID_CACHE_H
#define JOBTRAIL_ID_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "conf/base/hash.h"

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

#endif
