/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/hash.h"

#include <errno.h>
#include <nettle/sha1.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void hash_pieces(const void *const *pieces, const size_t *sizes, size_t count,
                 struct digest *digest)
{
    struct sha1_ctx context;
    sha1_init(&context);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            sha1_update(&context, 1, (const uint8_t *)"");
        sha1_update(&context, sizes[i], pieces[i]);
    }
    sha1_digest(&context, sizeof digest->bytes, digest->bytes);
}

void hash_bytes(const void *data, size_t size, struct digest *digest)
{
    hash_pieces(&data, &size, 1, digest);
}

/* ---- What was looked up by a digest ---------------------------------------------------------- */

#define FIRST_SIZE 1024u
#define LAST_USED  (5u << 16) /* of a table of 14 MiB; a batch may add to it */

struct id_cache_slot {
    struct digest digest;
    int64_t id; /* 0: free */
};

/* A digest is as good as random. */
static size_t place_of(const struct id_cache *cache, const struct digest *digest)
{
    size_t place;
    memcpy(&place, digest->bytes, sizeof place);
    place &= cache->size - 1;
    while (cache->slots[place].id != 0 &&
           memcmp(&cache->slots[place].digest, digest, sizeof *digest) != 0)
        place = (place + 1) & (cache->size - 1);
    return place;
}

int64_t id_cache_find(const struct id_cache *cache, const struct digest *digest)
{
    return cache->size == 0 ? 0 : cache->slots[place_of(cache, digest)].id;
}

static int id_cache_resize(struct id_cache *cache, size_t size)
{
    struct id_cache larger = {.slots = calloc(size, sizeof *larger.slots), .size = size};
    if (larger.slots == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < cache->size; i++)
        if (cache->slots[i].id != 0)
            id_cache_add(&larger, &cache->slots[i].digest, cache->slots[i].id);
    free(cache->slots);
    *cache = larger;
    return 0;
}

void id_cache_add(struct id_cache *cache, const struct digest *digest, int64_t id)
{
    bool is_full = cache->used >= cache->size / 4 * 3;
    if (is_full && id_cache_resize(cache, cache->size == 0 ? FIRST_SIZE : cache->size * 2) != 0)
        return;
    struct id_cache_slot *slot = &cache->slots[place_of(cache, digest)];
    if (slot->id == 0)
        cache->used++;
    *slot = (struct id_cache_slot){*digest, id};
}

void id_cache_trim(struct id_cache *cache)
{
    if (cache->used > LAST_USED)
        id_cache_free(cache);
}

void id_cache_clear(struct id_cache *cache)
{
    if (cache->slots != NULL)
        memset(cache->slots, 0, cache->size * sizeof *cache->slots);
    cache->used = 0;
}

void id_cache_free(struct id_cache *cache)
{
    free(cache->slots);
    *cache = (struct id_cache){0};
}
