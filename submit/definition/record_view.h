/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A record as it is handed from one part of jobtrail to the next: its text, its file name, and what
 * the name says. The name is parsed once, where the record comes from: the pipe of a child, a
 * user's file, a batch of the outbox. Names are of these forms:
 *
 *   run.SYSHOST.DATE.USER.aaa|zzz.UUID.json
 *   link.SYSHOST.DATE.USER.UUID.json
 *   pkg.SYSHOST.DATE.USER.UUID.12HEX.json
 *   coverage.SYSHOST.DATE.USER.UUID.json
 *   lib.SYSHOST.DATE.USER.UUID.json
 *   ranks.SYSHOST.DATE.USER.UUID.json
 *   profile.SYSHOST.DATE.USER.UUID.json
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "submit/definition/record_keys.h"

/* With the NUL: of a file name, a uuid as text, a host's or user's name in a file name, a key. */
enum {
    RECORD_NAME_MAX = 256,
    RECORD_UUID_SIZE = 37,
    RECORD_USER_SIZE = 64,
    RECORD_KEY_SIZE = 80,
};

/* A part of a name; no NUL ends it. */
struct record_word {
    const char *at;
    size_t length;
};

struct record_view {
    const char *name;      /* file name, without directories */
    const char *text;      /* JSON without a newline at its end */
    size_t length;         /* of the text */
    enum record_kind kind; /* RECORD_KINDS: a name of no form above, or of another kind */
    bool is_exact;         /* the name has all parts of its kind's form, and no others */
    bool is_start;         /* of RECORD_RUN: aaa in the name: the run is not over */
    struct record_word
        kind_word; /* as in the name, of other kinds too; "other" where `uuid` is NULL */
    struct record_word syshost;    /* "unknown" where `uuid` is NULL */
    struct record_word date, user; /* of an exact name; else empty */
    const char *uuid;              /* in the name, 36 bytes; NULL: there is none */
};

/* Whether a name of a record can stand in lines, directories and JSON as it is, with room for what
 * transports and the quarantine put around it. */
bool record_name_is_sound(const char *name);

/* A view of these, which must outlive it: it points into them. Any `name` gives one. */
struct record_view record_view(const char *name, const char *text, size_t length);

/* The key of the record among all: run_strt_UUID, run_fini_UUID, link_UUID, pkg_UUID_12HEX,
 * coverage_UUID, lib_UUID, ranks_UUID, profile_UUID. Returns whether the name has a uuid; without
 * one nothing is written. */
bool record_view_key(const struct record_view *view, char key[RECORD_KEY_SIZE]);

bool record_word_is(struct record_word word, const char *text);
