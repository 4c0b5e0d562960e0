/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What other programs read: folded stacks, and all numbers with tabs between.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "contrib/profile/command/profile_forms.h"
#include "spank/journal.h"

int profile_flame(const struct profile_set *set, const struct set_order *order,
                  const bool *is_taken)
{
    struct set_sum *sums_at = NULL;
    size_t taken;
    int error = set_sums_make(set, is_taken, &sums_at, &taken);
    CLEANUP_FREE struct set_sum *sums = sums_at;
    for (size_t i = 0; error == 0 && i < set->stacks.count; i++) {
        uint32_t stack = order->stack[i];
        uint64_t us = sums[stack].exclusive_ns / 1000;
        if (us == 0)
            continue;
        CLEANUP_FREE char *path = profile_path(set, stack, ';');
        if (path == NULL)
            return -ENOMEM;
        printf("%s %" PRIu64 "\n", path, us);
    }
    return error;
}

static int dump_rank(const struct profile_set *set, const struct set_order *order,
                     const struct profile_rank *rank, uint64_t *room, uint64_t *exclusive_ns)
{
    const struct set_table *table = &set->tables[rank->table];
    char step[16];
    journal_step_text(rank->step, step, sizeof step);
    profile_set_exclusive(set, table, room, exclusive_ns);
    for (size_t i = 0; i < table->count; i++) {
        const struct set_entry *entry = &table->entry[i];
        CLEANUP_FREE char *path = profile_path(set, entry->stack, '<');
        if (path == NULL)
            return -ENOMEM;
        printf("%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%016" PRIx64 "\t%" PRIu64 "\t%" PRIu64
               "\t%" PRIu64 "\t%" PRIu64 "\t%s\t",
               step, rank->task, profile_rank_number(rank), order->id[entry->stack],
               set->hash[entry->stack], (uint64_t)entry->calls, exclusive_ns[i],
               entry->inclusive_ns, entry->largest_ns, path);
        if (entry->stack == PROFILE_SET_INIT)
            putchar('-');
        else
            printf("%" PRIu32, order->id[set->stacks.key[entry->stack].parent]);
        puts(entry->is_light ? "\t1" : "\t0");
    }
    return 0;
}

int profile_dump(const struct profile_set *set, const struct set_order *order, const bool *is_taken)
{
    CLEANUP_FREE uint64_t *room = calloc(set->stacks.count, sizeof *room);
    CLEANUP_FREE uint64_t *exclusive = calloc(set->stacks.count, sizeof *exclusive);
    int error = room == NULL || exclusive == NULL ? -ENOMEM : 0;
    puts("step\ttask\trank\tid\thash\tcalls\texclusive_ns\tinclusive_ns\tlargest_ns\tstack\tcaller"
         "\tcounted_alone");
    for (size_t i = 0; error == 0 && i < set->rank_count; i++)
        if (is_taken == NULL || is_taken[i])
            error = dump_rank(set, order, &set->ranks[i], room, exclusive);
    return error;
}
