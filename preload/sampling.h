/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sampling: whether a run is kept, by how long it ran, decided at its end without a system call.
 */
#ifndef JOBTRAIL_SAMPLING_H
#define JOBTRAIL_SAMPLING_H

#include <stdint.h>

#include "conf/policy/policy.h"
#include "preload/switches.h"

enum { SAMPLING_INTERVALS_MAX = 16 };

/* What a run is sampled by, copied out of the policy. */
struct sampling {
    uint32_t count;   /* 0: always kept */
    uint32_t testing; /* testing_ns replaces the run time */
    uint64_t testing_ns;
    struct policy_interval interval[SAMPLING_INTERVALS_MAX];
};

/* Whether a run is of a size that is always recorded, its start too: MPI programs from the site's
 * threshold on. `policy` must be usable. */
int sampling_always(const void *policy, const struct switches *switches);

/* Chooses the table for a run: none where sampling is off, or for MPI programs of the size that is
 * always recorded. `policy` must be usable. */
void sampling_choose(const void *policy, const struct switches *switches,
                     struct sampling *sampling);

/* The entry for a run of `run_ns`, or NULL: kept for certain. */
const struct policy_interval *sampling_find(const struct sampling *sampling, uint64_t run_ns);

#endif
