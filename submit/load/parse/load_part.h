/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What extensions read of records: kinds of their own, and what is theirs in those of the core. An
 * extension defines its part in its own folder.
 */
#pragma once

#include "submit/load/parse/record_reader.h"

/* A function is NULL where the part reads nothing of the sort. Results are as those of
 * record_reader.h. */
struct load_part {
    int (*read)(struct record_reader *reader); /* a record of its kind */

    /* What coverageT says for it. */
    int (*check_coverage)(struct json_object *coverage, struct load_reason *reason);

    /* The value of its key of a run whose other values are read; the memory that this takes, about;
     * releases it. The last two are called of runs without it, too. */
    int (*read_run)(struct record_reader *reader, struct run_record *run);
    size_t (*run_bytes)(const struct run_record *run);
    void (*free_run)(struct run_record *run);
};

struct load_extension {
    const char *words;            /* what it is called in "built without WORDS" */
    enum record_kind kind;        /* RECORD_RUN: it has none of its own, and a key of runs */
    enum record_top key;          /* that no other kind, or no other extension, has */
    const struct load_part *part; /* NULL: it is not built */
};

enum { LOAD_EXTENSIONS = 4 };
extern const struct load_extension load_extensions[LOAD_EXTENSIONS];

extern const struct load_part load_part_libraries; /* contrib/libraries/load */
extern const struct load_part load_part_profile;   /* contrib/profile/load */
extern const struct load_part load_part_routines;  /* contrib/routines/load */
extern const struct load_part load_part_witness;   /* contrib/witness/load */
