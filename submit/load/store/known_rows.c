/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/known_rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

/* The second half first: the first is the time, in which the runs of a batch are alike. */
static struct digest key_of(const char *uuid)
{
    struct digest key = {{0}};
    size_t digits = 0;
    for (; *uuid != '\0' && digits < 32; uuid++) {
        int digit = (unsigned char)*uuid;
        if (!isxdigit(digit))
            continue;
        digit = isdigit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
        key.bytes[(digits / 2 + 8) % 16] |= (unsigned char)(digits % 2 == 0 ? digit << 4 : digit);
        digits++;
    }
    return key;
}

/* With half of the owner, and in front what differs between two of a uuid and two of an owner. */
static struct digest key_with(const char *uuid, int64_t owner)
{
    const struct digest of_uuid = key_of(uuid);
    struct digest key;
    memcpy(key.bytes + 4, of_uuid.bytes, 16);
    for (size_t i = 0; i < 4; i++)
        key.bytes[i] = (unsigned char)(of_uuid.bytes[i] ^ (uint64_t)owner >> 8 * i);
    return key;
}

bool known_rows_ask(struct known_rows *known, const char *uuid)
{
    const struct digest key = key_of(uuid);
    bool is_new = id_cache_find(&known->asked, &key) == 0;
    id_cache_add(&known->asked, &key, 1);
    return is_new;
}

struct known_row *known_rows_find(const struct known_rows *known, const char *uuid, int64_t owner)
{
    const struct digest key = key_with(uuid, owner);
    size_t at = (size_t)id_cache_find(&known->by_owner, &key);
    while (at != 0 && known->rows[at - 1].owner != owner)
        at = known->rows[at - 1].next;
    return at == 0 ? NULL : &known->rows[at - 1];
}

bool known_rows_have(const struct known_rows *known, const char *uuid)
{
    const struct digest key = key_of(uuid);
    return id_cache_find(&known->by_uuid, &key) != 0;
}

size_t known_rows_unproven(const struct known_rows *known, const char *uuid)
{
    const struct digest key = key_of(uuid);
    int64_t more = id_cache_find(&known->by_uuid, &key);
    return more == 0 ? 0 : (size_t)more - 1;
}

void known_rows_prove(struct known_rows *known, const char *uuid, struct known_row *row)
{
    const struct digest key = key_of(uuid);
    if (!row->is_proven)
        id_cache_add(&known->by_uuid, &key, (int64_t)known_rows_unproven(known, uuid));
    row->is_proven = true;
}

int known_rows_add(struct known_rows *known, const char *uuid, const struct known_row *row)
{
    const struct digest key = key_with(uuid, row->owner), of_uuid = key_of(uuid);
    const size_t unproven = known_rows_unproven(known, uuid) + !row->is_proven;
    if (GROW(known->rows, known->count) != 0)
        return -ENOMEM;
    struct known_row *added = &known->rows[known->count++];
    *added = *row;
    added->next = (size_t)id_cache_find(&known->by_owner, &key);
    id_cache_add(&known->by_owner, &key, (int64_t)known->count);
    id_cache_add(&known->by_uuid, &of_uuid, (int64_t)unproven + 1);
    return id_cache_find(&known->by_owner, &key) == (int64_t)known->count &&
                   known_rows_have(known, uuid)
               ? 0
               : -ENOMEM;
}

void known_rows_free(struct known_rows *known)
{
    id_cache_free(&known->asked);
    id_cache_free(&known->by_uuid);
    id_cache_free(&known->by_owner);
    free(known->rows);
    *known = (struct known_rows){0};
}
