/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/missing_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/compare_numbers.h"

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
