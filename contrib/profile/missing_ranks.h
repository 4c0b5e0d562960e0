/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of a program of which nothing is in a set.
 */
#ifndef JOBTRAIL_MISSING_RANKS_H
#define JOBTRAIL_MISSING_RANKS_H

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

#endif
