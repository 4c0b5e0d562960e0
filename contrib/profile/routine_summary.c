/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/routine_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/numbers.h"
#include "preload/profile/profile_file.h"

static int by_time(const void *left, const void *right)
{
    const struct routine_sum *a = left, *b = right;
    if ((a->ranks == 0) != (b->ranks == 0))
        return a->ranks == 0 ? 1 : -1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void add_entry(struct routine_sum *sum, const struct profile_set *set,
                      const struct profile_routine_entry *entry)
{
    sum->name = set->names.text[entry->name];
    sum->is_mpi |= (entry->flags & PROFILE_ROUTINE_MPI) != 0;
    sum->is_missed |= (entry->flags & PROFILE_ROUTINE_MISSED) != 0;
    if (entry->calls == 0)
        return;
    saturate_add(&sum->calls, entry->calls);
    saturate_add(&sum->ns, entry->ns);
    saturate_add(&sum->bytes, entry->bytes);
    saturate_add(&sum->sized, entry->sized);
    if (entry->largest_ns > sum->largest_ns)
        sum->largest_ns = entry->largest_ns;
    if (sum->ranks++ == 0 || entry->ns > sum->most_ns) {
        sum->most_ns = entry->ns;
        sum->most_rank = entry->rank;
    }
    sum->open_ranks += entry->open > 0;
}

/* The sums by name in few rows. */
static int add_routines(const struct profile_set *set, const bool *is_taken, uint64_t *mpi_ns,
                        struct routine_summary *summary)
{
    struct routine_sum *sum = calloc(set->names.count + 1, sizeof *sum);
    if (sum == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->routine_count; i++) {
        const struct profile_routine_entry *entry = &set->routines[i];
        if (is_taken != NULL && !is_taken[entry->rank])
            continue;
        add_entry(&sum[entry->name], set, entry);
        if ((entry->flags & PROFILE_ROUTINE_MPI) == 0)
            continue;
        saturate_add(&mpi_ns[entry->rank], entry->ns);
        saturate_add(&summary->mpi_calls, entry->calls);
    }
    for (size_t i = 0; i < set->names.count; i++)
        if (sum[i].name != NULL)
            sum[summary->count++] = sum[i];
    qsort(sum, summary->count, sizeof *sum, by_time);
    summary->routine = sum;
    return 0;
}

static void add_rank(const struct profile_rank *rank, struct routine_summary *summary)
{
    saturate_add(&summary->missed, rank->missed);
    saturate_add(&summary->missed_mpi, rank->missed_mpi);
    if (rank->callers == 0)
        return;
    summary->all_ranks++;
    saturate_add(&summary->all_ns, rank->called_ns);
    summary->is_any_untimed |= (rank->flags & PROFILE_RANK_UNTIMED) != 0;
    summary->is_any_open |= (rank->flags & PROFILE_RANK_END_KNOWN) == 0;
}

/* Ranks that called routines of MPI, or others, at all. */
static void add_ranks(const struct profile_set *set, const bool *is_taken, const uint64_t *mpi_ns,
                      const bool *has_mpi, struct routine_summary *summary)
{
    uint64_t outside_sum = 0, outside_most = 0;
    for (size_t i = 0; i < set->rank_count; i++) {
        const struct profile_rank *rank = &set->ranks[i];
        if (is_taken != NULL && !is_taken[i])
            continue;
        add_rank(rank, summary);
        if (!has_mpi[i])
            continue;
        /* what root has of the end may be earlier than what the process counted */
        uint64_t in_mpi = mpi_ns[i] < rank->called_ns ? mpi_ns[i] : rank->called_ns;
        uint64_t outside = rank->called_ns - in_mpi;
        if (summary->ranks++ == 0 || outside > outside_most) {
            outside_most = outside;
            summary->most_rank = (uint32_t)i;
        }
        saturate_add(&summary->mpi_ns, in_mpi);
        saturate_add(&summary->run_ns, rank->called_ns);
        saturate_add(&outside_sum, outside);
        summary->is_untimed |= (rank->flags & PROFILE_RANK_UNTIMED) != 0;
        summary->is_open |= (rank->flags & PROFILE_RANK_END_KNOWN) == 0;
    }
    if (summary->run_ns > 0)
        summary->mpi_share = (double)summary->mpi_ns / (double)summary->run_ns;
    double mean = summary->ranks == 0 ? 0 : (double)outside_sum / summary->ranks;
    if (mean > 0 && (double)outside_most > mean)
        summary->imbalance = ((double)outside_most / mean - 1) * 100;
}

int routine_summary_make(const struct profile_set *set, const bool *is_taken,
                         struct routine_summary *summary)
{
    struct routine_summary made = {.ranks = 0};
    CLEANUP_FREE uint64_t *mpi_ns = calloc(set->rank_count + 1, sizeof *mpi_ns);
    CLEANUP_FREE bool *has_mpi = calloc(set->rank_count + 1, sizeof *has_mpi);
    int error = mpi_ns == NULL || has_mpi == NULL ? -ENOMEM : 0;
    if (error == 0)
        error = add_routines(set, is_taken, mpi_ns, &made);
    if (error != 0)
        return error;
    for (size_t i = 0; i < set->routine_count; i++)
        has_mpi[set->routines[i].rank] |=
            (set->routines[i].flags & PROFILE_ROUTINE_MPI) != 0 && set->routines[i].calls > 0;
    add_ranks(set, is_taken, mpi_ns, has_mpi, &made);
    *summary = made;
    return 0;
}
