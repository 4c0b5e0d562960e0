/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a step's profile can tell at the most, as root knows: its reader and the processes that
 * wrote it are their user's.
 */
#ifndef JOBTRAIL_TOLD_MOST_H
#define JOBTRAIL_TOLD_MOST_H

#include <stdbool.h>
#include <stdint.h>

#include "contrib/profile/record/profile_record.h"
#include "submit/job/journal_read.h"

struct told_most {
    uint64_t ranks;  /* for which the file had room */
    uint64_t run_ns; /* that the threads can have run for which it had room, also where there are
                        more of them than processors */
};

/* `bytes`: of the job's file of profiles. `now_ns`: of the flush, since the Epoch. */
struct told_most told_most_of(const struct journal *journal, const struct journal_step *step,
                              uint64_t bytes, uint64_t now_ns);

/* Whether so many ranks can be, in `count` programs together. */
bool told_most_has_ranks(const struct told_most *most, const struct profile_told *told,
                         size_t count);

/* Takes out the time in MPI where it is more than threads can have had, or has more calls than
 * nanoseconds. Returns whether it did. */
bool told_most_cut(const struct told_most *most, struct profile_told *told);

#endif
