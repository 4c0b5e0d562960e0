/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/record/profile_tell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/routine_summary.h"
#include "contrib/profile/set_order.h"

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
static uint64_t take_runs(const struct profile_runs *runs, const bool *is_taken, bool has_mpi,
                          uint8_t (*uuid)[16], uint64_t at)
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
        if (at + found < PROFILE_TOLD_RUNS)
            memcpy(uuid[at + found], run->uuid, sizeof run->uuid);
        found++;
    }
    return found;
}

/* Tells of the runs of ranks for which `is_taken` has true. Changes the order of `runs`. */
static void tell_runs(struct profile_runs *runs, const bool *is_taken, struct profile_told *told)
{
    if (runs->count > 0)
        qsort(runs->run, runs->count, sizeof *runs->run, by_uuid);
    told->mpi_runs = take_runs(runs, is_taken, true, told->run, 0);
    told->runs = told->mpi_runs + take_runs(runs, is_taken, false, told->run, told->mpi_runs);
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

static void tell_mpi(const struct profile_set *set, const struct routine_summary *summary,
                     struct profile_told *told)
{
    told->mpi_ranks = summary->ranks;
    told->mpi_calls = at_most(summary->mpi_calls, INT64_MAX);
    told->mpi_ns = summary->mpi_ns;
    told->run_ns = summary->run_ns;
    /* The most time that one rank was outside of MPI. */
    double mean = (double)(summary->run_ns - summary->mpi_ns) / summary->ranks;
    double most = mean * (1 + summary->imbalance / 100);
    told->outside_most_ns = most < (double)summary->run_ns ? (uint64_t)most : summary->run_ns;
    told->outside_rank = profile_rank_number(&set->ranks[summary->most_rank]);
    told->missed = at_most(summary->missed_mpi, UINT32_MAX);
    told->is_untimed = summary->is_untimed;
    told->is_open = summary->is_open;
    /* What the processes have written may not add up: no more is reported of all than of each. A
     * name that is too long for a routine of MPI, or has other letters, is none. */
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

/* Of the ranks for which `is_taken` has true. */
static int tell_program(const struct profile_set *set, const bool *is_taken,
                        struct profile_told *told)
{
    struct routine_summary summary;
    int error = routine_summary_make(set, is_taken, &summary);
    if (error != 0)
        return error;
    if (summary.ranks > 0 && summary.mpi_ns <= summary.run_ns && summary.run_ns <= INT64_MAX)
        tell_mpi(set, &summary, told);
    free(summary.routine);
    return 0;
}

/* One executable of an MPI program: each has a run, as with srun --multi-prog. */
struct mpi_program {
    uint64_t program, executable;
    size_t ranks;
};

static struct mpi_program program_of(const struct profile_set *set, const struct profile_rank *rank)
{
    struct mpi_program of = {.program = rank->program, .ranks = 1};
    if (rank->program == 0 || rank->executable == 0)
        return of;
    const char *path = set->names.text[rank->executable - 1];
    of.executable = stack_hash(path, strlen(path));
    return of;
}

static bool is_same(const struct mpi_program *a, const struct mpi_program *b)
{
    return a->program == b->program && a->executable == b->executable;
}

static int by_program(const void *left, const void *right)
{
    const struct mpi_program *a = left, *b = right;
    int result = compare_numbers(a->program, b->program);
    return result != 0 ? result : compare_numbers(a->executable, b->executable);
}

static int by_ranks(const void *left, const void *right)
{
    size_t a = ((const struct mpi_program *)left)->ranks,
           b = ((const struct mpi_program *)right)->ranks;
    return a != b ? (a < b) - (a > b) : by_program(left, right);
}

/* The programs of the set, by their numbers of ranks; `all` has room for each rank. */
static size_t find_programs(const struct profile_set *set, struct mpi_program *all)
{
    size_t count = 0;
    for (size_t i = 0; i < set->rank_count; i++)
        all[i] = program_of(set, &set->ranks[i]);
    if (set->rank_count == 0)
        return 0;
    qsort(all, set->rank_count, sizeof *all, by_program);
    for (size_t i = 1; i < set->rank_count; i++)
        if (is_same(&all[i], &all[count]))
            all[count].ranks++;
        else
            all[++count] = all[i];
    qsort(all, ++count, sizeof *all, by_ranks);
    return count;
}

static void take_ranks(const struct profile_set *set, const struct mpi_program *of, bool *is_taken,
                       struct profile_told *told)
{
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        const struct mpi_program its = program_of(set, rank);
        is_taken[i] = is_same(&its, of);
        told->ranks += is_taken[i];
        if (is_taken[i] && rank->size > told->size)
            told->size = rank->size;
    }
}

int profile_tell(const struct profile_set *set, struct profile_runs *runs,
                 struct profile_told told[PROFILE_TOLD_PROGRAMS], size_t *count)
{
    CLEANUP_FREE struct mpi_program *all = calloc(set->rank_count + 1, sizeof *all);
    CLEANUP_FREE bool *is_taken = calloc(set->rank_count + 1, sizeof *is_taken);
    if (all == NULL || is_taken == NULL)
        return -ENOMEM;
    size_t programs = find_programs(set, all);
    int error = 0;
    *count = at_most(programs, PROFILE_TOLD_PROGRAMS);
    for (size_t i = 0; error == 0 && i < *count; i++) {
        told[i] = (struct profile_told){
            .program = all[i].program, .executable = all[i].executable, .programs = programs};
        take_ranks(set, &all[i], is_taken, &told[i]);
        tell_runs(runs, is_taken, &told[i]);
        error = tell_program(set, is_taken, &told[i]);
    }
    return error;
}
