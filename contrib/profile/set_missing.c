/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_missing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/numbers.h"

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

static int by_node(const void *left, const void *right)
{
    const struct profile_rank *a = *(const struct profile_rank *const *)left;
    const struct profile_rank *b = *(const struct profile_rank *const *)right;
    int result = compare_numbers(a->step, b->step);
    return result != 0 ? result : strcmp(a->node, b->node);
}

/* The step of the first rank; sets `*next` to behind its last one. */
static struct missing_nodes look(const struct profile_rank *const *sorted, size_t count,
                                 uint64_t now_ns, size_t *next)
{
    struct missing_nodes step = {.step = sorted[0]->step, .there = 1};
    uint64_t newest = 0;
    size_t i = 0;
    for (; i < count && sorted[i]->step == step.step; i++) {
        if (i > 0 && strcmp(sorted[i]->node, sorted[i - 1]->node) != 0)
            step.there++;
        if (sorted[i]->step_nodes > step.nodes)
            step.nodes = sorted[i]->step_nodes;
        if (sorted[i]->end_ns > newest)
            newest = sorted[i]->end_ns;
    }
    step.is_awaited =
        now_ns < newest || now_ns - newest < MISSING_NODES_WAIT_S * UINT64_C(1000000000);
    *next = i;
    return step;
}

int missing_nodes(const struct profile_set *set, uint64_t now_ns,
                  void (*tell)(void *context, const struct missing_nodes *missing), void *context)
{
    CLEANUP_FREE const struct profile_rank **sorted = calloc(set->rank_count + 1, sizeof *sorted);
    if (sorted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        sorted[i] = &set->ranks[i];
    qsort(sorted, set->rank_count, sizeof *sorted, by_node);
    for (size_t i = 0, taken; i < set->rank_count; i += taken) {
        const struct missing_nodes step = look(sorted + i, set->rank_count - i, now_ns, &taken);
        if (step.there < step.nodes)
            tell(context, &step);
    }
    return 0;
}
