/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which run of a job descends from which. A capture has the pids of its ancestors as they were when
 * it began; pids are used again, so the time decides.
 */
#ifndef JOBTRAIL_RUN_PARENTS_H
#define JOBTRAIL_RUN_PARENTS_H

#include <stddef.h>
#include <stdint.h>

#include "submit/evidence/succession.h"
#include "submit/facts/partition_input.h"

struct run_parents {
    uint32_t *order; /* owned; the runs by pid, then by start */
    int32_t *pid;    /* owned; of all runs' ancestors */
    size_t pid_count;
    struct run_ancestors {
        uint32_t first, count; /* in `pid`, the parent first */
    } * of_run;                /* owned; in the order of run_parents_add() */
    size_t count;
};

/* Notes the ancestors of the next capture; NULL: it has none. Returns 0 or -ENOMEM. */
int run_parents_add(struct run_parents *parents, const struct capture *capture);

/* Sets `parent` of each run: the nearest run of its task among its ancestors that may have lived
 * when it began. The runs are those of the succession, in the same order, and all have been added.
 * Returns 0 or -ENOMEM. */
int run_parents_find(struct run_parents *parents, const struct succession *succession,
                     struct partition_run *runs);

void run_parents_free(struct run_parents *parents);

#endif
