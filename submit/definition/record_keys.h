/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kinds of records, and which keys stand at the top of each (keys.def): by these the gates on a
 * node refuse what is in no record of its kind, and the loader tells what kind one is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum record_kind {
    RECORD_RUN,
    RECORD_LINK,
    RECORD_PACKAGE,
    RECORD_COVERAGE,
    RECORD_LIBRARY,
    RECORD_RANKS,
    RECORD_PROFILE,
    RECORD_KINDS
};

/* As it stands in names: "run", "link", "pkg", "coverage", "lib", "ranks", "profile". */
const char *record_kind_name(enum record_kind kind);

/* The kind of this name; RECORD_KINDS for any other. */
enum record_kind record_kind_of(const char *name, size_t length);

/* The places of the keys. */
enum record_top {
#define RECORD_TOP(kind, key, form, reading) RECORD_TOP_##key,
#include "submit/definition/keys.def"
    RECORD_TOPS
};

const char *record_top_name(enum record_top top);

/* The place of the key, `length` bytes as they stand between its quotes, where records of this kind
 * have it when they leave who made them; or -1. What root adds to all is none. */
int record_key_place(enum record_kind kind, const char *key, size_t length);

/* The keys of one record. All zero: none yet. */
struct record_keys {
    uint64_t seen; /* by place */
    unsigned kinds;
    int twice; /* one that is in the list: one reader takes the first, another the last */
};

/* Notes a key of the record's. Returns its place, or -1 where it is in no record. */
int record_keys_note(struct record_keys *keys, const char *key, size_t length);
