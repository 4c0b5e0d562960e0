/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/json_memo.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/text.h"
#include "submit/record/json_add.h"

/* A part is in one of the few places that its key has: of two parts that come again neither drives
 * the other out. */
enum { SETS = 16, PLACES = 4 };

struct memo_entry {
    const char *name;
    uint64_t hash;
    void *key; /* owned, as the part */
    size_t size;
    struct json_object *part;
};

struct json_memo {
    struct {
        struct memo_entry entry[PLACES];
        unsigned next; /* that is given to another key */
    } set[SETS];
};

void json_memo_start(struct json_memo_key *key, const char *name)
{
    key->name = name;
    key->size = 0;
}

void json_memo_add(struct json_memo_key *key, const void *bytes, size_t size)
{
    if (size > 0 && size <= sizeof key->bytes && key->size <= sizeof key->bytes - size)
        memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
}

/* FNV-1a, by eight bytes. */
static uint64_t hash_of(const struct json_memo_key *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (unsigned char)key->name[0], eight;
    for (size_t at = 0; at < key->size; at += sizeof eight) {
        size_t left = key->size - at;
        eight = 0;
        memcpy(&eight, key->bytes + at, left < sizeof eight ? left : sizeof eight);
        hash = (hash ^ eight) * UINT64_C(0x100000001b3);
    }
    return hash;
}

struct json_memo *json_memo_new(void)
{
    return calloc(1, sizeof(struct json_memo));
}

static unsigned set_of(uint64_t hash)
{
    return (unsigned)(hash >> 32) % SETS;
}

static bool is_of_key(const struct memo_entry *entry, const struct json_memo_key *key,
                      uint64_t hash)
{
    return entry->part != NULL && entry->hash == hash && entry->size == key->size &&
           strcmp(entry->name, key->name) == 0 && memcmp(entry->key, key->bytes, key->size) == 0;
}

/* The text goes before the last reference can: json_object_put() of json-c 0.19 frees the user data
 * of an array or object twice. Whoever still holds the part prints it anew. */
static void forget(struct memo_entry *entry)
{
    if (entry->part != NULL)
        json_object_set_serializer(entry->part, NULL, NULL, NULL);
    json_object_put(entry->part);
    free(entry->key);
    *entry = (struct memo_entry){.part = NULL};
}

void json_memo_free(struct json_memo *memo)
{
    for (int i = 0; memo != NULL && i < SETS * PLACES; i++)
        forget(&memo->set[i / PLACES].entry[i % PLACES]);
    free(memo);
}

struct json_object *json_memo_find(const struct json_memo *memo, const struct json_memo_key *key)
{
    if (memo == NULL || key->size > sizeof key->bytes)
        return NULL;
    uint64_t hash = hash_of(key);
    const struct memo_entry *entry = memo->set[set_of(hash)].entry;
    for (int i = 0; i < PLACES; i++)
        if (is_of_key(&entry[i], key, hash))
            return json_object_get(entry[i].part);
    return NULL;
}

struct json_object *json_memo_keep(struct json_memo *memo, const struct json_memo_key *key,
                                   struct json_object *part)
{
    if (memo == NULL || part == NULL || key->size > sizeof key->bytes)
        return part;
    const char *text = json_text(part);
    char *copy = text == NULL ? NULL : text_ascii_json(text);
    void *bytes = malloc(key->size + 1);
    if (copy == NULL || bytes == NULL) {
        free(copy);
        free(bytes);
        return part;
    }
    memcpy(bytes, key->bytes, key->size);
    json_object_set_serializer(part, json_object_userdata_to_json_string, copy,
                               json_object_free_userdata);
    uint64_t hash = hash_of(key);
    unsigned place = memo->set[set_of(hash)].next++ % PLACES;
    struct memo_entry *entry = &memo->set[set_of(hash)].entry[place];
    forget(entry);
    *entry = (struct memo_entry){key->name, hash, bytes, key->size, json_object_get(part)};
    return part;
}
