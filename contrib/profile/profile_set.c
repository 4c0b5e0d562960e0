/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_set.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

/* `text` follows. */
struct numbered {
    uint32_t number;
    char text[];
};

static int compare(const void *left, const void *right)
{
    return strcmp(((const struct numbered *)left)->text, ((const struct numbered *)right)->text);
}

int name_table_add(struct name_table *names, const char *text, uint32_t *number)
{
    size_t size = strlen(text) + 1;
    struct numbered *added = malloc(sizeof *added + size);
    if (added == NULL || names->count == UINT32_MAX || GROW(names->text, names->count) != 0) {
        free(added);
        return -ENOMEM;
    }
    memcpy(added->text, text, size);
    added->number = (uint32_t)names->count;
    struct numbered **found = tsearch(added, &names->tree, compare);
    if (found == NULL || *found != added)
        free(added);
    else
        names->text[names->count++] = added->text;
    if (found == NULL)
        return -ENOMEM;
    *number = (*found)->number;
    return 0;
}

int profile_set_begin(struct profile_set *set)
{
    uint32_t name, stack;
    *set = (struct profile_set){.rank_count = 0};
    int error = name_table_add(&set->names, "init", &name);
    return error != 0 ? error : profile_set_stack(set, PROFILE_SET_INIT, name, &stack);
}

void profile_set_free(struct profile_set *set)
{
    tdestroy(set->names.tree, free);
    free(set->names.text);
    set->names = (struct name_table){.text = NULL};
    child_index_free(&set->stacks);
    child_index_free(&set->sums);
    free(set->table_of_sum);
    for (size_t i = 0; i < set->table_count; i++)
        free(set->tables[i].entry);
    free(set->tables);
    free(set->ranks);
    free(set->hash);
    free(set->routines);
    *set = (struct profile_set){.rank_count = 0};
}

int profile_set_stack(struct profile_set *set, uint32_t caller, uint32_t name, uint32_t *stack)
{
    return child_index_add(&set->stacks, (struct child_key){.what = name, .parent = caller}, stack);
}

int profile_set_hashes(struct profile_set *set)
{
    int error = GROW_TO(set->hash, set->hash_room, set->stacks.count);
    if (error == 0)
        memset(set->hash + set->hash_count, 0,
               (set->stacks.count - set->hash_count) * sizeof *set->hash);
    if (error == 0)
        set->hash_count = set->stacks.count;
    return error;
}

static uint64_t table_sum(const struct set_table *table)
{
    uint64_t sum = table->count;
    for (size_t i = 0; i < table->count; i++) {
        const struct set_entry *entry = &table->entry[i];
        sum = (sum ^ entry->inclusive_ns ^ (uint64_t)entry->stack << 32) *
              UINT64_C(0x9e3779b97f4a7c15);
        sum += sum >> 29 ^ entry->calls;
    }
    return sum;
}

static bool is_equal(const struct set_table *left, const struct set_table *right)
{
    return left->count == right->count &&
           (left->count == 0 ||
            memcmp(left->entry, right->entry, left->count * sizeof *left->entry) == 0);
}

/* Sets `*number` to an equal table that is there, or to this one. Of tables that differ and have
 * the same sum the first one is found. */
static int add_table(struct profile_set *set, struct set_table *table, uint32_t *number)
{
    uint32_t sum;
    int error = GROW(set->table_of_sum, set->sums.count);
    if (error == 0)
        error = GROW(set->tables, set->table_count);
    size_t before = set->sums.count;
    if (error == 0)
        error = child_index_add(&set->sums, (struct child_key){.what = table_sum(table)}, &sum);
    if (error != 0)
        return error;
    if (sum == before) {
        set->table_of_sum[sum] = (uint32_t)set->table_count;
    } else if (is_equal(&set->tables[set->table_of_sum[sum]], table)) {
        *number = set->table_of_sum[sum];
        return 0;
    }
    *number = (uint32_t)set->table_count;
    set->tables[set->table_count++] = *table;
    *table = (struct set_table){.count = 0};
    return 0;
}

int profile_set_add(struct profile_set *set, const struct profile_rank *rank,
                    struct set_table table)
{
    uint32_t number;
    int error = add_table(set, &table, &number);
    free(table.entry);
    return error != 0 ? error : profile_set_add_equal(set, rank, number);
}

int profile_set_add_equal(struct profile_set *set, const struct profile_rank *rank, uint32_t table)
{
    int error = GROW(set->ranks, set->rank_count);
    if (error != 0)
        return error;
    set->ranks[set->rank_count] = *rank;
    set->ranks[set->rank_count++].table = table;
    return 0;
}

void profile_set_exclusive(const struct profile_set *set, const struct set_table *table,
                           uint64_t *room, uint64_t *exclusive_ns)
{
    for (size_t i = table->count; i-- > 0;) {
        const struct set_entry *entry = &table->entry[i];
        uint64_t callees = room[entry->stack];
        room[entry->stack] = 0;
        exclusive_ns[i] = entry->inclusive_ns > callees ? entry->inclusive_ns - callees : 0;
        if (entry->stack != PROFILE_SET_INIT)
            room[set->stacks.key[entry->stack].parent] += entry->inclusive_ns;
    }
}

static int by_number(const void *left, const void *right, void *context)
{
    const struct profile_set *set = context;
    size_t one = *(const size_t *)left, other = *(const size_t *)right;
    uint32_t a = profile_rank_number(&set->ranks[one]);
    uint32_t b = profile_rank_number(&set->ranks[other]);
    return a != b ? (a > b) - (a < b) : (one > other) - (one < other);
}

int profile_set_rank_order(const struct profile_set *set, size_t **order)
{
    size_t *made = calloc(set->rank_count + 1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < set->rank_count; i++)
        made[i] = i;
    qsort_r(made, set->rank_count, sizeof *made, by_number, (void *)(uintptr_t)set);
    *order = made;
    return 0;
}
