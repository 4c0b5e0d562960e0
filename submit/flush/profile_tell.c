/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/profile_tell.h"

#include <string.h>

#include "conf/base/cleanup.h"
#include "submit/profile/routine_summary.h"

/* The most time that one rank was outside of MPI. */
static uint64_t outside_most(const struct routine_summary *summary)
{
    double mean = (double)(summary->run_ns - summary->mpi_ns) / summary->ranks;
    double most = mean * (1 + summary->imbalance / 100);
    return most < (double)summary->run_ns ? (uint64_t)most : summary->run_ns;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* What the processes have written may not add up: no more is told of all than of each. A name that
 * is too long for a routine of MPI, or has other letters, is none. */
static void tell_routines(const struct routine_summary *summary, struct profile_told *told)
{
    uint64_t left_ns = summary->mpi_ns;
    for (size_t i = 0; i < summary->count && told->routine_count < PROFILE_TOLD_ROUTINES; i++) {
        const struct routine_sum *sum = &summary->routine[i];
        if (!sum->is_mpi || sum->calls == 0 || !profile_told_is_name(sum->name))
            continue;
        struct profile_told_routine *routine = &told->routines[told->routine_count++];
        strcpy(routine->name, sum->name);
        routine->calls = at_most(sum->calls, told->mpi_calls);
        routine->ns = at_most(sum->ns, left_ns);
        routine->open = at_most(sum->open_ranks, told->mpi_ranks);
        left_ns -= routine->ns;
    }
}

int profile_tell(const struct profile_set *set, struct profile_told *told)
{
    struct routine_summary summary;
    int error = routine_summary_make(set, NULL, &summary);
    if (error != 0)
        return error;
    CLEANUP_FREE struct routine_sum *routines = summary.routine;
    *told = (struct profile_told){.ranks = set->rank_count};
    if (summary.ranks == 0 || summary.mpi_ns > summary.run_ns || summary.run_ns > INT64_MAX)
        return 0;
    told->mpi_ranks = summary.ranks;
    told->mpi_calls = at_most(summary.mpi_calls, INT64_MAX);
    told->mpi_ns = summary.mpi_ns;
    told->run_ns = summary.run_ns;
    told->outside_most_ns = outside_most(&summary);
    told->missed = at_most(summary.missed_mpi, UINT32_MAX);
    told->is_untimed = summary.is_untimed;
    told->is_open = summary.is_open;
    tell_routines(&summary, told);
    return 0;
}
