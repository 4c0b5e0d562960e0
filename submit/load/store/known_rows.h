/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the store has of the uuids of a batch: a row for each owner that has said one.
 */
#ifndef JOBTRAIL_KNOWN_ROWS_H
#define JOBTRAIL_KNOWN_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/id_cache.h"

struct known_row {
    int64_t owner; /* record_owner.h */
    bool is_start_only, is_proven;
    size_t next; /* of the same uuid and half of the owner: one more than its place; 0: none */
};

struct known_rows {
    struct id_cache asked;    /* uuids that known_rows_ask() was given */
    struct id_cache by_uuid;  /* one more than the number of rows that are not proven */
    struct id_cache by_owner; /* one more than the place of the last row */
    struct known_row *rows;   /* owned; {0} at first, as the rest */
    size_t count;
};

/* Whether the uuid is given here for the first time; when out of memory it always is. */
bool known_rows_ask(struct known_rows *known, const char *uuid);

/* The owner's row of the uuid, valid until the next is added; NULL when there is none. */
struct known_row *known_rows_find(const struct known_rows *known, const char *uuid, int64_t owner);

/* How many rows of the uuid are not proven. */
size_t known_rows_unproven(const struct known_rows *known, const char *uuid);

/* The row of the uuid is proven from now on. */
void known_rows_prove(struct known_rows *known, const char *uuid, struct known_row *row);

/* Whether anybody has said the uuid. */
bool known_rows_have(const struct known_rows *known, const char *uuid);

/* Adds a row that is not there. Returns 0 or -ENOMEM. */
int known_rows_add(struct known_rows *known, const char *uuid, const struct known_row *row);

void known_rows_free(struct known_rows *known);

#endif
