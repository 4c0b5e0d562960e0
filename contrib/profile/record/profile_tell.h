/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes what profile records say about a profile set. Runs as the job's user.
 */
#pragma once

#include "contrib/profile/profile_read.h"
#include "contrib/profile/profile_set.h"
#include "contrib/profile/record/profile_told.h"

/* A run of the ledger that has a process in a rank of the set, as the process claims. */
struct profile_run {
    uint32_t rank; /* its number in the set */
    bool has_mpi;  /* the process called routines of MPI */
    uint8_t uuid[16];
};

struct profile_runs {
    struct profile_run *run; /* owned; free() releases */
    size_t count;
};

/* Notes the run of a rank's process, if it has one. Returns 0 or -ENOMEM. */
int profile_runs_note(struct profile_runs *runs, size_t rank,
                      const struct profiled_process *process);

/* What records are to tell of the set, of each MPI program: `*count` of them, those with the most
 * ranks first. `runs` are of the set's ranks; their order is changed. Returns 0 or -ENOMEM. */
int profile_tell(const struct profile_set *set, struct profile_runs *runs,
                 struct profile_told told[PROFILE_TOLD_PROGRAMS], size_t *count);
