/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time that the ranks of a step spent in MPI and in designated libraries, in few numbers. Times
 * of a routine are those without the counted routines that it called itself: none is in two sums.
 */
#pragma once

#include "contrib/profile/profile_set.h"

/* One routine over all ranks. */
struct routine_sum {
    const char *name; /* the set's: as the program calls it, "MPI_Allreduce", "mpi_allreduce_" */
    bool is_mpi;
    uint64_t calls, ns;
    uint64_t largest_ns;   /* of one call */
    uint64_t bytes, sized; /* as the arguments of `sized` of the calls say */
    uint64_t most_ns;      /* of the rank that has the most */
    uint32_t most_rank;    /* which of set->ranks that is */
    uint32_t ranks;        /* that have called it; 0: no call could be counted */
    bool is_missed;        /* some rank's calls of it could not be counted, or not all */
    uint32_t open_ranks;   /* that were in it at the end */
};

struct routine_summary {
    uint32_t ranks; /* that left counts of MPI's routines; 0: nothing is known of MPI */
    uint64_t mpi_calls;
    uint64_t mpi_ns;  /* time in MPI, of all ranks and threads */
    uint64_t run_ns;  /* how long these ranks ran, for each thread that called */
    double mpi_share; /* of `run_ns`, 0 to 1 */
    /* By how much the rank with the most time outside of MPI is above the mean of these ranks, in
     * per cent: 0 where all have the same. */
    double imbalance;
    uint32_t most_rank;  /* which of set->ranks that is */
    uint64_t missed_mpi; /* routines and objects of MPI that could not be counted: times in it are
                            too short */
    uint64_t missed;     /* the same of designated libraries */
    bool is_untimed;     /* of some rank no times are known */
    bool is_open;        /* some rank's end is not known: it ran so long at least */
    /* The same of all ranks that called any routine, of MPI or of a designated library. */
    uint32_t all_ranks;
    uint64_t all_ns;
    bool is_any_untimed, is_any_open;
    struct routine_sum *routine; /* owned; the most time first, those without calls behind
                                    them */
    size_t count;
};

/* Adds up the ranks of the set for which `is_taken` has true; NULL: all. Returns 0 or -ENOMEM;
 * free(summary->routine) releases. */
int routine_summary_make(const struct profile_set *set, const bool *is_taken,
                         struct routine_summary *summary);
