/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/compare_numbers.h"
#include "contrib/profile/profile_set.h"

/* 0 for the same processes, whatever was found out about them. */
static int compare(const struct profile_rank *a, const struct profile_rank *b)
{
    int result = compare_numbers(a->begin_ns, b->begin_ns);
    if (result == 0)
        result = compare_numbers((uint32_t)a->pid, (uint32_t)b->pid);
    if (result == 0)
        result =
            compare_numbers((uint64_t)a->step << 32 | a->task, (uint64_t)b->step << 32 | b->task);
    return result != 0 ? result : strcmp(a->node, b->node);
}

/* Those that are there twice in the order in which they came. */
static int by_process(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    int result = compare(a, b);
    return result != 0 ? result : a < b ? -1 : a > b;
}

/* Keeps the routines of ranks that stay, by their new numbers. */
static void drop_routines(struct profile_set *set, const bool *is_repeated, const uint32_t *number)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->routine_count; i++) {
        struct profile_routine_entry entry = set->routines[i];
        if (is_repeated[entry.rank])
            continue;
        entry.rank = number[entry.rank];
        set->routines[kept++] = entry;
    }
    set->routine_count = kept;
}

int profile_set_drop_repeated(struct profile_set *set, size_t *repeated)
{
    CLEANUP_FREE const struct profile_rank **sorted = calloc(set->rank_count + 1, sizeof *sorted);
    CLEANUP_FREE bool *is_repeated = calloc(set->rank_count + 1, sizeof *is_repeated);
    CLEANUP_FREE uint32_t *number = calloc(set->rank_count + 1, sizeof *number);
    size_t kept = 0;
    if (sorted == NULL || is_repeated == NULL || number == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        sorted[i] = &set->ranks[i];
    qsort(sorted, set->rank_count, sizeof *sorted, by_process);
    for (size_t i = 1; i < set->rank_count; i++)
        if (compare(sorted[i - 1], sorted[i]) == 0)
            is_repeated[sorted[i] - set->ranks] = true;
    for (size_t i = 0; i < set->rank_count; i++) {
        number[i] = (uint32_t)kept;
        if (!is_repeated[i])
            set->ranks[kept++] = set->ranks[i];
    }
    drop_routines(set, is_repeated, number);
    *repeated = set->rank_count - kept;
    set->rank_count = kept;
    return 0;
}
