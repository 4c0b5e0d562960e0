/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs descend from which, and which of them live: a forest that stays as it is, whose runs
 * live and die. A parent may die before its children, and live after them.
 *
 * The runs are put in the order of a walk from the top, where those below a run follow it without a
 * gap, and a segment tree over that order finds living ones: each question and change is O(log n),
 * whatever the shape.
 */
#ifndef JOBTRAIL_RUN_TREE_H
#define JOBTRAIL_RUN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
