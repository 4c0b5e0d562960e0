/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/numbers.h"

static void add(struct set_sum *sum, const struct set_entry *entry, uint64_t exclusive_ns,
                uint32_t rank)
{
    saturate_add(&sum->calls, entry->calls);
    saturate_add(&sum->exclusive_ns, exclusive_ns);
    saturate_add(&sum->inclusive_ns, entry->inclusive_ns);
    sum->is_light |= entry->is_light;
    sum->depth = entry->depth > sum->depth ? entry->depth : sum->depth;
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

struct row_order {
    const uint32_t *id;
    enum profile_sort sort;
};

static uint64_t key_of(const struct profile_row *row, enum profile_sort sort)
{
    return sort == SORT_CALLS       ? row->sum.calls
           : sort == SORT_EXCLUSIVE ? row->sum.exclusive_ns
           : sort == SORT_INCLUSIVE ? row->sum.inclusive_ns
                                    : 0;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct row_order *order = context;
    const struct profile_row *a = left, *b = right;
    uint64_t first = key_of(a, order->sort), second = key_of(b, order->sort);
    if (first != second)
        return first > second ? -1 : 1;
    uint32_t one = order->id[a->stack], other = order->id[b->stack];
    return one < other ? -1 : one > other;
}

/* Whether the function is among its own callers. */
static bool is_recursive(const struct profile_set *set, uint32_t stack)
{
    uint64_t name = set->stacks.key[stack].what;
    while (stack != PROFILE_SET_INIT) {
        stack = set->stacks.key[stack].parent;
        if (set->stacks.key[stack].what == name)
            return true;
    }
    return false;
}

static void add_to_function(struct profile_row *row, const struct set_sum *sum, uint32_t stack,
                            bool is_inner)
{
    if (row->sum.ranks == 0 || sum->exclusive_ns > row->sum.most_ns) {
        row->stack = stack;
        row->sum.most_ns = sum->exclusive_ns; /* of a stack, not of a rank */
    }
    row->sum.ranks = sum->ranks > row->sum.ranks ? sum->ranks : row->sum.ranks;
    saturate_add(&row->sum.calls, sum->calls);
    saturate_add(&row->sum.exclusive_ns, sum->exclusive_ns);
    if (!is_inner)
        saturate_add(&row->sum.inclusive_ns, sum->inclusive_ns);
    if (sum->largest_ns > row->sum.largest_ns)
        row->sum.largest_ns = sum->largest_ns;
    row->sum.is_light |= sum->is_light;
    row->sum.depth = sum->depth > row->sum.depth ? sum->depth : row->sum.depth;
}

/* Puts the stacks' sums together by names: `row` has one for each name. */
static void group(const struct profile_set *set, const struct set_sum *sums,
                  struct profile_row *row)
{
    for (size_t i = 1; i < set->stacks.count; i++)
        if (sums[i].ranks > 0)
            add_to_function(&row[set->stacks.key[i].what], &sums[i], (uint32_t)i,
                            is_recursive(set, (uint32_t)i));
}

int profile_rows_make(const struct profile_set *set, const uint32_t *id, const bool *is_taken,
                      bool by_function, enum profile_sort sort, struct profile_rows *rows)
{
    struct set_sum *sums_at = NULL;
    struct profile_rows made = {.by_function = by_function};
    int error = set_sums_make(set, is_taken, &sums_at, &made.ranks);
    CLEANUP_FREE struct set_sum *sums = sums_at;
    if (error != 0)
        return error;
    size_t room = by_function ? set->names.count : set->stacks.count;
    made.row = calloc(room + 1, sizeof *made.row);
    if (made.row == NULL)
        return -ENOMEM;
    if (by_function)
        group(set, sums, made.row);
    else
        for (size_t i = 1; i < set->stacks.count; i++)
            made.row[i] = (struct profile_row){sums[i], (uint32_t)i};
    for (size_t i = 0; i < room; i++) {
        if (made.row[i].sum.ranks == 0)
            continue;
        made.exclusive_ns += made.row[i].sum.exclusive_ns;
        made.row[made.count++] = made.row[i];
    }
    const struct row_order order = {id, sort};
    qsort_r(made.row, made.count, sizeof *made.row, compare, (void *)(uintptr_t)&order);
    *rows = made;
    return 0;
}
