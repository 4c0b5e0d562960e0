/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of a program, and nodes of a step, of which nothing is in a set. The ids of stacks are
 * places in the list of all stacks: while a node's file may come, they are provisional.
 */
#ifndef JOBTRAIL_SET_MISSING_H
#define JOBTRAIL_SET_MISSING_H

#include "contrib/profile/profile_set.h"

/* Calls `tell` for each row of ranks of a program, from `first` to `last`, that left no profile:
 * those below the number of ranks that the others tell, where that is more than 1. The others are
 * those for which `is_taken` has true; NULL: all. A program is the
 * launcher's, which may be in several steps, of which one is told; or where it has no name, a step.
 * Returns 0 or -ENOMEM.
 */
int missing_ranks(const struct profile_set *set, const bool *is_taken,
                  void (*tell)(void *context, uint32_t step, uint32_t first, uint32_t last,
                               uint32_t size),
                  void *context);

/* After a step's end its nodes' files are waited for so long, seconds. */
enum { MISSING_NODES_WAIT_S = 24 * 60 * 60 };

struct missing_nodes {
    uint32_t step;
    uint32_t there, nodes; /* of the step's nodes, so many are in the set */
    bool is_awaited;       /* others may come yet */
};

/* Calls `tell` for each step that had more nodes than are in the set. `now_ns` since the Epoch.
 * Returns 0 or -ENOMEM. */
int missing_nodes(const struct profile_set *set, uint64_t now_ns,
                  void (*tell)(void *context, const struct missing_nodes *missing), void *context);

#endif
