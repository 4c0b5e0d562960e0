/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* One for each thread: looking SHA-1 up costs more than most digests here. */
static _Thread_local EVP_MD_CTX *context;

static EVP_MD_CTX *sha1_context(void)
{
    if (context == NULL)
        context = EVP_MD_CTX_new();
    if (context == NULL)
        return NULL;
    const EVP_MD *known = EVP_MD_CTX_get0_md(context);
    return EVP_DigestInit_ex2(context, known == NULL ? EVP_sha1() : NULL, NULL) == 1 ? context
                                                                                     : NULL;
}

/* Small pieces are joined first: a call of the library costs more than copying them. */
struct gathering {
    EVP_MD_CTX *context;
    unsigned char bytes[1024];
    size_t size;
    bool failed;
};

static void gathering_flush(struct gathering *gathering)
{
    if (gathering->size > 0 &&
        EVP_DigestUpdate(gathering->context, gathering->bytes, gathering->size) != 1)
        gathering->failed = true;
    gathering->size = 0;
}

static void gathering_add(struct gathering *gathering, const void *piece, size_t size)
{
    if (size > sizeof gathering->bytes - gathering->size)
        gathering_flush(gathering);
    if (size > sizeof gathering->bytes) {
        gathering->failed |= EVP_DigestUpdate(gathering->context, piece, size) != 1;
        return;
    }
    memcpy(gathering->bytes + gathering->size, piece, size);
    gathering->size += size;
}

int hash_pieces(const void *const *pieces, const size_t *sizes, size_t count, struct digest *digest)
{
    struct gathering gathering;
    gathering.context = sha1_context();
    gathering.size = 0;
    gathering.failed = false;
    if (gathering.context == NULL)
        return -ENOTSUP;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            gathering_add(&gathering, "", 1);
        gathering_add(&gathering, pieces[i], sizes[i]);
    }
    gathering_flush(&gathering);
    return !gathering.failed && EVP_DigestFinal_ex(gathering.context, digest->bytes, NULL) == 1
               ? 0
               : -ENOTSUP;
}

void hash_end_thread(void)
{
    EVP_MD_CTX_free(context);
    context = NULL;
}

int hash_bytes(const void *data, size_t size, struct digest *digest)
{
    return hash_pieces(&data, &size, 1, digest);
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
