/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes of which nothing is in a set. The ids of stacks are places in the list of all stacks: while
 * a node's file may come, they are provisional.
 */
#ifndef JOBTRAIL_MISSING_NODES_H
#define JOBTRAIL_MISSING_NODES_H

#include "contrib/profile/profile_set.h"

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
