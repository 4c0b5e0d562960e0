/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all ranks, or some, did in each stack together.
 */
#ifndef JOBTRAIL_SET_SUMS_H
#define JOBTRAIL_SET_SUMS_H

#include "contrib/profile/profile_set.h"

struct set_sum {
    uint64_t calls;
    uint64_t exclusive_ns, inclusive_ns;
    uint64_t largest_ns; /* of one call */
    uint64_t most_ns;    /* exclusive, of the rank that has the most */
    uint32_t most_rank;  /* which of set->ranks that is */
    uint32_t ranks;      /* that have this stack; 0: none */
    bool is_light;       /* some calls are counted, and not timed */
};

/* Adds up the ranks for which `is_taken` has true; NULL: all. Sets `*sums`, by stack, to what the
 * caller frees, and `*taken` to how many ranks they are. Returns 0 or -ENOMEM. */
int set_sums_make(const struct profile_set *set, const bool *is_taken, struct set_sum **sums,
                  size_t *taken);

/* How much more the rank with the most time had than the mean of `ranks` ranks, in per cent. */
double set_sum_imbalance(const struct set_sum *sum, size_t ranks);

#endif
