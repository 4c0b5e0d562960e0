/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/missing_ranks.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"

static int by_rank(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->program == 0 && a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* mpirun has ranks on its own node in another step than those on others. */
static bool is_same_program(const struct profile_rank *a, const struct profile_rank *b)
{
    return a->program == b->program && (a->program != 0 || a->step == b->step);
}

int missing_ranks(const struct profile_set *set, const bool *is_taken,
                  void (*tell)(void *context, uint32_t step, uint32_t first, uint32_t last,
                               uint32_t size),
                  void *context)
{
    CLEANUP_FREE const struct profile_rank **sorted = calloc(set->rank_count + 1, sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        if (is_taken == NULL || is_taken[i])
            sorted[count++] = &set->ranks[i];
    qsort(sorted, count, sizeof *sorted, by_rank);
    for (size_t i = 0; i < count;) {
        const struct profile_rank *one = sorted[i];
        uint32_t step = one->step, next = 0, size = 0;
        for (size_t j = i; j < count && is_same_program(sorted[j], one); j++)
            if (sorted[j]->size > size)
                size = sorted[j]->size;
        for (; i < count && is_same_program(sorted[i], one); i++) {
            uint32_t rank = sorted[i]->rank;
            if (rank < size && rank > next && size > 1)
                tell(context, step, next, rank - 1, size);
            if (rank < size && rank >= next)
                next = rank + 1;
        }
        if (next < size && size > 1)
            tell(context, step, next, size - 1, size);
    }
    return 0;
}
