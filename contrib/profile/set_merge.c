/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/profile_set.h"

/* The number in `set` of each name and stack of `other`. */
static int map_stacks(struct profile_set *set, const struct profile_set *other, uint32_t *name,
                      uint32_t *stack)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < other->names.count; i++)
        error = name_table_add(&set->names, other->names.text[i], &name[i]);
    for (size_t i = 1; error == 0 && i < other->stacks.count; i++) {
        const struct child_key *key = &other->stacks.key[i];
        error = profile_set_stack(set, stack[key->parent], name[key->what], &stack[i]);
    }
    if (error == 0)
        error = profile_set_hashes(set);
    for (size_t i = 0; error == 0 && i < other->hash_count; i++)
        if (set->hash[stack[i]] == 0)
            set->hash[stack[i]] = other->hash[i];
    return error;
}

static int by_stack(const void *left, const void *right)
{
    uint32_t a = ((const struct set_entry *)left)->stack;
    uint32_t b = ((const struct set_entry *)right)->stack;
    return (a > b) - (a < b);
}

/* Callers keep smaller numbers than what they call; beside that, the order changes. A set has no
 * stack twice; of a file that has, the first one's times are taken. */
static void map_table(struct set_table *table, const uint32_t *stack)
{
    bool is_sorted = true;
    for (size_t i = 0; i < table->count; i++) {
        table->entry[i].stack = stack[table->entry[i].stack];
        is_sorted &= i == 0 || table->entry[i].stack > table->entry[i - 1].stack;
    }
    if (is_sorted)
        return;
    qsort(table->entry, table->count, sizeof *table->entry, by_stack);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (kept == 0 || table->entry[i].stack != table->entry[kept - 1].stack)
            table->entry[kept++] = table->entry[i];
    table->count = kept;
}

/* `before` ranks were there when those of `other` were added. */
static int add_routines(struct profile_set *set, const struct profile_set *other,
                        const uint32_t *name, size_t before)
{
    size_t count = set->routine_count;
    int error = GROW_TO(set->routines, set->routine_room, count + other->routine_count);
    for (size_t i = 0; error == 0 && i < other->routine_count; i++) {
        struct profile_routine_entry entry = other->routines[i];
        entry.name = name[entry.name];
        entry.rank += (uint32_t)before;
        set->routines[set->routine_count++] = entry;
    }
    return error;
}

int profile_set_merge(struct profile_set *set, struct profile_set *other)
{
    CLEANUP_FREE uint32_t *stack = calloc(other->stacks.count + 1, sizeof *stack);
    CLEANUP_FREE bool *is_mapped = calloc(other->table_count + 1, sizeof *is_mapped);
    CLEANUP_FREE uint32_t *name = calloc(other->names.count + 1, sizeof *name);
    size_t before = set->rank_count;
    int error = stack == NULL || is_mapped == NULL || name == NULL
                    ? -ENOMEM
                    : map_stacks(set, other, name, stack);
    CLEANUP_FREE uint32_t *number = calloc(other->table_count + 1, sizeof *number);
    if (number == NULL)
        error = -ENOMEM;
    for (size_t i = 0; error == 0 && i < other->rank_count; i++) {
        struct profile_rank rank = other->ranks[i];
        struct set_table table = {.count = 0};
        uint32_t from = rank.table;
        rank.where = stack[rank.where];
        if (rank.executable != 0)
            rank.executable = name[rank.executable - 1] + 1;
        if (!is_mapped[from]) {
            map_table(&other->tables[from], stack);
            table = other->tables[from];
            other->tables[from] = (struct set_table){.count = 0};
            error = profile_set_add(set, &rank, table);
        } else {
            error = profile_set_add_equal(set, &rank, number[from]);
        }
        if (error == 0)
            number[from] = set->ranks[set->rank_count - 1].table;
        is_mapped[from] = true;
    }
    if (error == 0)
        error = add_routines(set, other, name, before);
    set->damaged += other->damaged;
    profile_set_free(other);
    return error;
}

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
