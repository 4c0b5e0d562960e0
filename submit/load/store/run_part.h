/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What extensions keep of runs in tables of their own. A part defines its row in its own folder.
 */
#ifndef JOBTRAIL_RUN_PART_H
#define JOBTRAIL_RUN_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "submit/load/store/store_intern.h"

/* `state` is what prepare() has made. All but has(), forget() and free() return 0 or -errno. */
struct run_part {
    const char *rows; /* the table with a row, of `run_id`, for each run that has something of it */

    /* The tables with what runs share of it, in this order; TABLES: no other one. */
    enum table shared[3];

    int (*prepare)(struct store_intern *intern, void **state);
    bool (*has)(const struct run_record *run);

    /* Asks for what the run shares in the table; and again for what the store does not have, where
     * the run's user may add it. */
    int (*want)(void *state, enum table table, struct run_record *run);
    int (*admit)(void *state, enum table table, struct run_record *run, bool is_proven);

    /* Of a batch: the rows of the run of this id are to go; what they are to be; does all of it. */
    int (*replace)(void *state, int64_t id);
    int (*put)(void *state, int64_t id, const struct run_record *run);
    int (*settle)(void *state);

    /* Removes the rows of the runs, whose ids are given, at once. */
    int (*drop)(void *state, const struct value *ids, size_t count);

    void (*forget)(void *state); /* the batch */
    void (*free)(void *state);
};

enum { RUN_PARTS_MOST = 2 };

extern const struct run_part run_part_routines; /* contrib/routines/load */

#endif
