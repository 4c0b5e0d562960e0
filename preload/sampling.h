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

/* The table that a run is sampled by, copied from the policy. */
struct sampling {
    uint32_t count;   /* 0: always kept */
    uint32_t testing; /* testing_ns replaces the run time */
    uint64_t testing_ns;
    uint64_t table; /* identity of the table (policy.h); 0: none */
    struct policy_interval interval[SAMPLING_INTERVALS_MAX];
};

/* Whether the run and its start are always recorded: MPI programs with as many ranks as the site's
 * threshold or more. `policy` must be usable. */
int sampling_is_always_kept(const void *policy, const struct switches *switches);

/* Chooses the table for a run: none where sampling is off, or where the run is always recorded.
 * `policy` must be usable. */
void sampling_choose(const void *policy, const struct switches *switches,
                     struct sampling *sampling);

/* The entry for a run of `run_ns`; NULL: the run is kept. */
const struct policy_interval *sampling_find(const struct sampling *sampling, uint64_t run_ns);

#endif
