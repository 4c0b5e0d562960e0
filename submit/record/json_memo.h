/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of records that come again: runs of a job share libraries, environments and much else. Such
 * a part is made once, together with its text, and found by the bytes that it was made of.
 */
#pragma once

#include <json-c/json.h>
#include <stddef.h>

/* Larger ones are not kept. */
enum { JSON_MEMO_KEY_MAX = 16 << 10 };

/* What a part is made of. */
struct json_memo_key {
    const char *name; /* a literal: which part it is */
    size_t size;      /* of bytes[], or more: then it is too large */
    char bytes[JSON_MEMO_KEY_MAX];
};

void json_memo_start(struct json_memo_key *key, const char *name);
void json_memo_add(struct json_memo_key *key, const void *bytes, size_t size);

/* A memory of a fixed number of parts. */
struct json_memo;

/* NULL when out of memory: the others do without one then. */
struct json_memo *json_memo_new(void);

void json_memo_free(struct json_memo *memo);

/* The part of this key, a reference of the caller's; NULL when there is none. */
struct json_object *json_memo_find(const struct json_memo *memo, const struct json_memo_key *key);

/* Keeps the part, which must not change any more, in the place of another. Returns `part`. */
struct json_object *json_memo_keep(struct json_memo *memo, const struct json_memo_key *key,
                                   struct json_object *part);
