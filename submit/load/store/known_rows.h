/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which rows the store has with the uuids of a batch: one for each uuid and owner.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/hash.h"

enum { KNOWN_UUID_SIZE = 36 }; /* with its hyphens, in lower case */

struct known_row {
    int64_t owner; /* record_owner.h */
    bool is_start_only, is_proven;
    size_t next; /* of the same uuid and half of the owner: one more than its place; 0: none */
};

struct known_rows {
    struct id_cache by_uuid;  /* 1: it was asked for; more: 2 and the number of unproven rows */
    struct id_cache by_owner; /* one more than the place of the last row */
    struct known_row *rows;   /* owned; {0} at first, as the rest */
    size_t count;
};

/* What the other calls know a uuid by. */
struct digest known_rows_key(const char uuid[KNOWN_UUID_SIZE]);

/* Whether the uuid is given here for the first time; when out of memory it always is. */
bool known_rows_ask(struct known_rows *known, const struct digest *key);

/* The owner's row of the uuid, valid until the next is added; NULL when there is none. */
struct known_row *known_rows_find(const struct known_rows *known, const struct digest *key,
                                  int64_t owner);

/* How many rows of the uuid are not proven; -1 when nobody has said it. */
int64_t known_rows_unproven(const struct known_rows *known, const struct digest *key);

/* The row of the uuid is proven from now on. */
void known_rows_prove(struct known_rows *known, const struct digest *key, struct known_row *row);

/* Adds a row that is not there. Returns 0 or -ENOMEM. */
int known_rows_add(struct known_rows *known, const struct digest *key, const struct known_row *row);

void known_rows_free(struct known_rows *known);
