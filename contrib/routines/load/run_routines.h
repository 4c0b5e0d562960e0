/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * routineT of a run: which designated libraries were there, and which of their routines it called.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "submit/load/parse/load_record.h"

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

struct run_routines {
    struct json_object *value;         /* owned */
    struct routine_library *libraries; /* owned */
    struct called_routine *called;     /* owned; the same routine may be there twice */
    size_t library_count, count;
    int64_t watched, missed; /* imports that were watched, and that were not */
    int64_t unnamed;         /* called routines that are left out */
};
