/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/set_sums.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/saturate.h"

static void add(struct set_sum *sum, const struct set_entry *entry, uint64_t exclusive_ns,
                uint32_t rank)
{
    saturate_add(&sum->calls, entry->calls);
    saturate_add(&sum->exclusive_ns, exclusive_ns);
    saturate_add(&sum->inclusive_ns, entry->inclusive_ns);
    sum->is_light |= entry->is_light;
    if (entry->largest_ns > sum->largest_ns)
        sum->largest_ns = entry->largest_ns;
    if (sum->ranks++ == 0 || exclusive_ns > sum->most_ns) {
        sum->most_ns = exclusive_ns;
        sum->most_rank = rank;
    }
}

int set_sums_make(const struct profile_set *set, const bool *is_taken, struct set_sum **sums,
                  size_t *taken)
{
    size_t count = set->stacks.count;
    CLEANUP_FREE struct set_sum *made = calloc(count, sizeof *made);
    CLEANUP_FREE uint64_t *room = calloc(count, sizeof *room);
    CLEANUP_FREE uint64_t *exclusive = calloc(count, sizeof *exclusive);
    size_t ranks = 0;
    if (made == NULL || room == NULL || exclusive == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++) {
        if (is_taken != NULL && !is_taken[i])
            continue;
        const struct set_table *table = &set->tables[set->ranks[i].table];
        profile_set_exclusive(set, table, room, exclusive);
        for (size_t j = 0; j < table->count; j++)
            add(&made[table->entry[j].stack], &table->entry[j], exclusive[j], (uint32_t)i);
        ranks++;
    }
    *sums = made;
    made = NULL;
    *taken = ranks;
    return 0;
}

double set_sum_imbalance(const struct set_sum *sum, size_t ranks)
{
    double mean = ranks == 0 ? 0 : (double)sum->exclusive_ns / (double)ranks;
    return mean <= 0 ? 0 : ((double)sum->most_ns / mean - 1) * 100;
}
