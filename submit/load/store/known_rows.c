/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/known_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

enum { ASKED = 1, KNOWN = 2 }; /* in `by_uuid` */

static unsigned hex_value(unsigned char digit)
{
    return digit <= '9' ? digit - 48u : (digit | 0x20u) - 87u;
}

/* The second half first: the first is the time, in which the runs of a batch are alike. */
struct digest known_rows_key(const char uuid[KNOWN_UUID_SIZE])
{
    static const unsigned char places[] = {0,  2,  4,  6,  9,  11, 14, 16,
                                           19, 21, 24, 26, 28, 30, 32, 34};
    struct digest key = {{0}};
    for (size_t i = 0; i < sizeof places; i++) {
        const unsigned char *digits = (const unsigned char *)uuid + places[i];
        key.bytes[(i + 8) % 16] = (unsigned char)(hex_value(digits[0]) << 4 | hex_value(digits[1]));
    }
    return key;
}

/* With half of the owner, and in front what differs between two of a uuid and two of an owner. */
static struct digest key_with(const struct digest *of_uuid, int64_t owner)
{
    struct digest key;
    memcpy(key.bytes + 4, of_uuid->bytes, 16);
    for (size_t i = 0; i < 4; i++)
        key.bytes[i] = (unsigned char)(of_uuid->bytes[i] ^ (uint64_t)owner >> 8 * i);
    return key;
}

bool known_rows_ask(struct known_rows *known, const struct digest *key)
{
    if (id_cache_find(&known->by_uuid, key) != 0)
        return false;
    id_cache_add(&known->by_uuid, key, ASKED);
    return true;
}

struct known_row *known_rows_find(const struct known_rows *known, const struct digest *key,
                                  int64_t owner)
{
    const struct digest of_owner = key_with(key, owner);
    size_t at = (size_t)id_cache_find(&known->by_owner, &of_owner);
    while (at != 0 && known->rows[at - 1].owner != owner)
        at = known->rows[at - 1].next;
    return at == 0 ? NULL : &known->rows[at - 1];
}

int64_t known_rows_unproven(const struct known_rows *known, const struct digest *key)
{
    int64_t found = id_cache_find(&known->by_uuid, key);
    return found < KNOWN ? -1 : found - KNOWN;
}

void known_rows_prove(struct known_rows *known, const struct digest *key, struct known_row *row)
{
    if (!row->is_proven)
        id_cache_add(&known->by_uuid, key, KNOWN + known_rows_unproven(known, key) - 1);
    row->is_proven = true;
}

int known_rows_add(struct known_rows *known, const struct digest *key, const struct known_row *row)
{
    const struct digest of_owner = key_with(key, row->owner);
    const int64_t before = known_rows_unproven(known, key);
    const int64_t unproven = (before < 0 ? 0 : before) + !row->is_proven;
    if (GROW(known->rows, known->count) != 0)
        return -ENOMEM;
    struct known_row *added = &known->rows[known->count++];
    *added = *row;
    added->next = (size_t)id_cache_find(&known->by_owner, &of_owner);
    id_cache_add(&known->by_owner, &of_owner, (int64_t)known->count);
    id_cache_add(&known->by_uuid, key, KNOWN + unproven);
    return id_cache_find(&known->by_owner, &of_owner) == (int64_t)known->count &&
                   known_rows_unproven(known, key) >= 0
               ? 0
               : -ENOMEM;
}

void known_rows_free(struct known_rows *known)
{
    id_cache_free(&known->by_uuid);
    id_cache_free(&known->by_owner);
    free(known->rows);
    *known = (struct known_rows){0};
}
