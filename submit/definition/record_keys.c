/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/definition/record_keys.h"

#include <string.h>

enum {
    RUN = 1 << RECORD_RUN,
    LINK = 1 << RECORD_LINK,
    PACKAGE = 1 << RECORD_PACKAGE,
    COVERAGE = 1 << RECORD_COVERAGE,
    LIBRARY = 1 << RECORD_LIBRARY,
    RANKS = 1 << RECORD_RANKS,
    PROFILE = 1 << RECORD_PROFILE,
    EACH = 1 << RECORD_KINDS,
    BY_ROOT = EACH << 1, /* added to any, behind the gates */
};

/* All but those of EACH and BY_ROOT are of one kind alone. */
static const struct {
    const char *name;
    size_t length;
    unsigned kinds;
} list[RECORD_TOPS] = {
#define RECORD_TOP(kind, key, form, reading) {#key, sizeof #key - 1, kind},
#include "submit/definition/keys.def"
};

_Static_assert(RECORD_TOPS <= 64, "each key has a bit");

static const char *const names[RECORD_KINDS] = {
    [RECORD_RUN] = "run",           [RECORD_LINK] = "link",   [RECORD_PACKAGE] = "pkg",
    [RECORD_COVERAGE] = "coverage", [RECORD_LIBRARY] = "lib", [RECORD_RANKS] = "ranks",
    [RECORD_PROFILE] = "profile",
};

const char *record_kind_name(enum record_kind kind)
{
    return names[kind];
}

enum record_kind record_kind_of(const char *name, size_t length)
{
    enum record_kind kind = RECORD_RUN;
    while (kind < RECORD_KINDS &&
           (strncmp(names[kind], name, length) != 0 || names[kind][length] != '\0'))
        kind++;
    return kind;
}

const char *record_top_name(enum record_top top)
{
    return list[top].name;
}

static int place_of(const char *key, size_t length)
{
    for (int i = 0; i < RECORD_TOPS; i++)
        if (list[i].length == length && memcmp(list[i].name, key, length) == 0)
            return i;
    return -1;
}

int record_key_place(enum record_kind kind, const char *key, size_t length)
{
    int place = place_of(key, length);
    return place >= 0 && (list[place].kinds & (EACH | 1u << kind)) != 0 ? place : -1;
}

int record_keys_note(struct record_keys *keys, const char *key, size_t length)
{
    int place = place_of(key, length);
    if (place < 0)
        return -1;
    keys->twice |= (keys->seen & UINT64_C(1) << place) != 0;
    keys->seen |= UINT64_C(1) << place;
    keys->kinds |= list[place].kinds & (EACH - 1u);
    return place;
}
