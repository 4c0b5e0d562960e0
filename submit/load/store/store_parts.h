/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts that many records share: sets, whose members are in tables of their own or in their rows,
 * ancestors and watermarks. New ones are collected over a batch, and then found or added together.
 */
#pragma once

#include "submit/load/parse/record_part.h"
#include "submit/load/store/store_intern.h"

struct new_part;

struct store_parts {
    struct store_connection *on;
    struct store_intern *intern;
    struct new_part *list; /* owned: parts of the batch at hand that the store did not know */
    size_t count, room;
    struct statement *add_member[PART_KINDS];
};

int store_prepare_parts(struct store_parts *parts, struct store_intern *intern);
void store_free_parts(struct store_parts *parts);

/* Asks for a part of a record. Parts are there after store_settle_parts(). */
int store_want_part(struct store_parts *parts, enum part_kind kind, struct record_part *part,
                    const char *scope);
int store_settle_parts(struct store_parts *parts);

/* Leaves what was asked for and is not settled. */
void store_forget_parts(struct store_parts *parts);

/* Sets `*id`, to 0 when the record has no such part. */
int store_part_id(struct store_parts *parts, const struct record_part *part, int64_t *id);
