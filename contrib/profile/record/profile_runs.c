/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/record/profile_runs.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

int profile_runs_note(struct profile_runs *runs, size_t rank,
                      const struct profiled_process *process)
{
    static const uint8_t none[sizeof process->uuid];
    if (memcmp(process->uuid, none, sizeof none) == 0)
        return 0;
    int error = GROW(runs->run, runs->count);
    if (error != 0)
        return error;
    struct profile_run *run = &runs->run[runs->count++];
    *run = (struct profile_run){.rank = (uint32_t)rank, .has_mpi = profiled_calls_mpi(process)};
    memcpy(run->uuid, process->uuid, sizeof run->uuid);
    return 0;
}

/* Of one uuid, as of processes that were forked, what called MPI comes first. */
static int by_uuid(const void *left, const void *right)
{
    const struct profile_run *a = left, *b = right;
    int result = memcmp(a->uuid, b->uuid, sizeof a->uuid);
    return result != 0 ? result : b->has_mpi - a->has_mpi;
}

/* How many are of MPI, or are not; writes them to `uuid` from `at` on. */
static uint64_t take(const struct profile_runs *runs, const bool *is_taken, bool has_mpi,
                     uint8_t (*uuid)[16], size_t room, uint64_t at)
{
    const struct profile_run *last = NULL;
    uint64_t found = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct profile_run *run = &runs->run[i];
        bool is_again = last != NULL && memcmp(last->uuid, run->uuid, sizeof run->uuid) == 0;
        if (!is_taken[run->rank] || is_again)
            continue;
        last = run;
        if (run->has_mpi != has_mpi)
            continue;
        if (at + found < room)
            memcpy(uuid[at + found], run->uuid, sizeof run->uuid);
        found++;
    }
    return found;
}

void profile_runs_find(struct profile_runs *runs, const bool *is_taken, uint8_t (*uuid)[16],
                       size_t room, uint64_t *all, uint64_t *mpi)
{
    if (runs->count > 0)
        qsort(runs->run, runs->count, sizeof *runs->run, by_uuid);
    *mpi = take(runs, is_taken, true, uuid, room, 0);
    *all = *mpi + take(runs, is_taken, false, uuid, room, *mpi);
}
