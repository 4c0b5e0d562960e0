/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs of the ledger have processes in the ranks of a step, as the processes claim.
 */
#ifndef JOBTRAIL_PROFILE_RUNS_H
#define JOBTRAIL_PROFILE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/profile/profile_read.h"

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

/* Sets `*all` and `*mpi` to the number of runs of ranks for which `is_taken` has true, and of those
 * that called MPI, and `uuid` to the first `room` of them, those of MPI before others. Changes the
 * order of `runs`. */
void profile_runs_find(struct profile_runs *runs, const bool *is_taken, uint8_t (*uuid)[16],
                       size_t room, uint64_t *all, uint64_t *mpi);

#endif
