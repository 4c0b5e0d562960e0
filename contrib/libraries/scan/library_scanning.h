/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of a running scan, which its parts share, and its messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_facts.h"
#include "contrib/libraries/scan/library_scan.h"
#include "contrib/libraries/scan/library_state.h"

struct scan {
    const struct library_scan_order *order;
    struct library_scan_counts *counts;
    struct library_state *state;
    struct library_teller teller; /* the order's, and since when changes may be */
    struct library_naming *naming;
    struct library_owners *owners;
    struct globs *patterns, *except;
    struct library_places places;
    struct file_hash_bounds bounds; /* of what is hashed */
    bool is_first_turn;    /* much of users who are not believed waits for the second one */
    uint64_t others_bytes; /* of such users, hashed in this turn */
    uint64_t waiting;      /* files of theirs that wait */
    bool is_silent;        /* what is to be said was said in the first turn */
    struct library_row row;
    bool has_row;  /* `row` is a row that is not yet compared */
    bool is_first; /* the tree is new to the state */
    char *path;    /* owned: of path_of() */
    size_t path_room;
    unsigned warnings;
    char *trouble;
    size_t trouble_size;
};

/* Notes why the scan ends, unless that is known. Returns `error`. */
__attribute__((format(printf, 3, 4))) int scan_fail(struct scan *scan, int error,
                                                    const char *format, ...);

/* The same of what a call of the state returned, where that is negative. Returns `error`. */
int scan_state_failed(struct scan *scan, int error);

/* Tells the caller what is wrong with a file or tree. */
void scan_warn(struct scan *scan, const char *path, const char *text);
