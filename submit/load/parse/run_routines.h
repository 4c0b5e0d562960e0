/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * routineT of a run: which designated libraries were there, and which of their routines it called.
 * Its functions are those of contrib/routines/load.
 */
#ifndef JOBTRAIL_RUN_ROUTINES_H
#define JOBTRAIL_RUN_ROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "submit/load/parse/load_reason.h"

enum { RUN_ROUTINES_MAX = 4096, RUN_ROUTINE_LIBRARIES_MAX = 64 };

/* Texts are owned by `value` of the struct below. */
struct routine_library {
    const char *path, *build_id;
    bool is_left_out; /* of the store, which has no room for its name */
};

struct called_routine {
    const char *name;
    double first_call; /* seconds since the Epoch; 0: not known */
    int64_t calls;     /* -1: not counted */
    bool is_at_least;  /* there may have been more */
    bool is_left_out;  /* as its library */
    uint32_t library;  /* its place in the list */
};

/* {0}: the record has no routineT. */
struct run_routines {
    struct json_object *value;         /* owned */
    struct routine_library *libraries; /* owned */
    struct called_routine *called;     /* owned; the same routine may be there twice */
    size_t library_count, count;
    int64_t watched, missed; /* imports that were watched, and that were not */
    int64_t unnamed;         /* called routines that are left out; the store says how many */
    bool is_left_out;        /* without the extension: the record has one, which is not read */
};

/* Takes `value`, which is routineT and becomes owned by `*routines`, also after a failure:
 * run_routines_free() releases both. Returns 0; -EBADMSG and `*reason`; -ENOMEM. */
int run_routines_read(struct json_object *value, struct run_routines *routines,
                      struct load_reason *reason);

/* Times of first calls outside of the run are a claim that nobody else is to be counted by: they
 * become unknown; and so do numbers of calls for which the run had no time. The run began at
 * `start` and had ended at `end`, both give or take `slack`. */
void run_routines_bound(struct run_routines *routines, double start, double end, double slack);

/* The memory that the lists take. */
size_t run_routines_bytes(const struct run_routines *routines);

void run_routines_free(struct run_routines *routines);

#endif
