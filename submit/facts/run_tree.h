/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs descend from which, and which of them live: a forest that stays as it is, whose runs
 * live and die. A parent may die before its children, and live after them.
 *
 * The runs are put in the order of a walk from the top, where those below a run follow it without a
 * gap, and a segment tree over that order finds living ones: each question and change is O(log n),
 * whatever the shape.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/evidence/ledger_read.h"
#include "submit/facts/partition_input.h"

/* ---- Parents of runs ------------------------------------------------------------------------- */

/* Which run of a job descends from which. A capture has the pids of its ancestors as they were when
 * it began; pids are used again, so the time decides. */

struct run_parents {
    uint32_t *order; /* owned; the runs by pid, then by start */
    int32_t *pid;    /* owned; of all runs' ancestors */
    size_t pid_count;
    struct run_ancestors {
        uint32_t first, count; /* in `pid`, the parent first */
        uint64_t name_space;   /* of the run itself, as in its capture */
        int32_t pid;
    } * of_run; /* owned; in the order of run_parents_add() */
    size_t count;
    const struct partition_run *runs; /* for run_parents_find() */
};

/* Notes the ancestors of the next capture; NULL: it has none. Returns 0 or -ENOMEM. */
int run_parents_add(struct run_parents *parents, const struct capture *capture);

/* Sets `parent` of each run: the nearest run of its task among its ancestors that may have lived
 * when it began. The runs are those that were added, in the same order. Returns 0 or -ENOMEM. */
int run_parents_find(struct run_parents *parents, struct partition_run *runs);

void run_parents_free(struct run_parents *parents);

#define RUN_TREE_NONE UINT32_MAX

struct run_tree; /* owned */

/* Makes the forest of `count` runs (below 2^31), none of which lives. parents[run] is RUN_TREE_NONE
 * at the top. The parents of runs in a circle count as none. Returns 0 or -ENOMEM;
 * run_tree_free() releases `*tree`, written only on success. */
int run_tree_make(const uint32_t *parents, size_t count, struct run_tree **tree);

void run_tree_set(struct run_tree *tree, uint32_t run, bool lives);

/* The nearest living run that `run` descends from, or RUN_TREE_NONE. */
uint32_t run_tree_above(const struct run_tree *tree, uint32_t run);

/* Whether a living run descends from `run`. */
bool run_tree_has_below(const struct run_tree *tree, uint32_t run);

void run_tree_free(struct run_tree *tree);
