/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines without a head: folded stacks, all numbers with tabs between, and what has changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
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
        printf("\t%d\t%" PRIu32 "\n", entry->is_light, entry->depth);
    }
    return 0;
}

int profile_dump(const struct profile_set *set, const struct set_order *order, const bool *is_taken)
{
    CLEANUP_FREE uint64_t *room = calloc(set->stacks.count, sizeof *room);
    CLEANUP_FREE uint64_t *exclusive = calloc(set->stacks.count, sizeof *exclusive);
    int error = room == NULL || exclusive == NULL ? -ENOMEM : 0;
    puts("step\ttask\trank\tid\thash\tcalls\texclusive_ns\tinclusive_ns\tlargest_ns\tstack\tcaller"
         "\tcounted_alone\tdepth");
    for (size_t i = 0; error == 0 && i < set->rank_count; i++)
        if (is_taken == NULL || is_taken[i])
            error = dump_rank(set, order, &set->ranks[i], room, exclusive);
    return error;
}

struct stack_change {
    const struct set_sum *before, *after;
    double ns; /* of exclusive time */
    uint32_t stack;
};

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct stack_change *a = left, *b = right;
    const struct set_order *order = context;
    if (magnitude(a->ns) != magnitude(b->ns))
        return magnitude(a->ns) > magnitude(b->ns) ? -1 : 1;
    uint32_t one = order->id[a->stack], other = order->id[b->stack];
    return one < other ? -1 : one > other;
}

static int sums_of(const struct profile_log *log, size_t first, size_t last, struct set_sum **sums)
{
    const struct profile_set *set = log->set;
    size_t taken;
    CLEANUP_FREE bool *is_taken = calloc(set->rank_count + 1, sizeof *is_taken);
    if (is_taken == NULL)
        return -ENOMEM;
    for (size_t i = first; i < last; i++)
        is_taken[i] = log->is_taken == NULL || log->is_taken[i];
    return set_sums_make(set, is_taken, sums, &taken);
}

static int print_change(const struct profile_log *log, const struct stack_change *change,
                        enum profile_form form)
{
    size_t length = 0;
    CLEANUP_FREE char *path = profile_path(log->set, change->stack, '<');
    if (path == NULL)
        return -ENOMEM;
    if (form == FORM_TEXT) {
        printf("%+12.6f", change->ns / 1e9);
        profile_print_seconds(change->before, change->before->exclusive_ns, stdout);
        profile_print_seconds(change->after, change->after->exclusive_ns, stdout);
        printf(" %12" PRIu64 " %12" PRIu64 " %8" PRIu32 " %s\n", change->before->calls,
               change->after->calls, log->order->id[change->stack], path);
        return 0;
    }
    CLEANUP_FREE char *text = text_from_bytes(path, strlen(path), &length);
    CLEANUP_FREE char *ascii = text == NULL ? NULL : text_ascii_json(text);
    if (ascii == NULL)
        return -ENOMEM;
    printf("{\"change_seconds\":%.9f,\"seconds\":[%.9f,%.9f],\"calls\":[%" PRIu64 ",%" PRIu64
           "],\"counted_alone\":[%s,%s],\"id\":%" PRIu32 ",\"stack\":\"%s\"}\n",
           change->ns / 1e9, (double)change->before->exclusive_ns / 1e9,
           (double)change->after->exclusive_ns / 1e9, change->before->calls, change->after->calls,
           change->before->is_light ? "true" : "false", change->after->is_light ? "true" : "false",
           log->order->id[change->stack], ascii);
    return 0;
}

int profile_diff(const struct profile_log *log, size_t before, enum profile_form form)
{
    const struct profile_set *set = log->set;
    struct set_sum *first_at = NULL, *second_at = NULL;
    size_t count = 0;
    int error = sums_of(log, 0, before, &first_at);
    CLEANUP_FREE struct set_sum *first = first_at;
    if (error == 0)
        error = sums_of(log, before, set->rank_count, &second_at);
    CLEANUP_FREE struct set_sum *second = second_at;
    CLEANUP_FREE struct stack_change *change = calloc(set->stacks.count, sizeof *change);
    if (error != 0 || change == NULL)
        return error != 0 ? error : -ENOMEM;
    for (size_t i = 1; i < set->stacks.count; i++)
        if (first[i].ranks + second[i].ranks > 0)
            change[count++] = (struct stack_change){
                &first[i], &second[i],
                (double)second[i].exclusive_ns - (double)first[i].exclusive_ns, (uint32_t)i};
    qsort_r(change, count, sizeof *change, compare, (void *)(uintptr_t)log->order);
    if (form == FORM_TEXT)
        printf("%12s %12s %12s %12s %12s %8s %s\n", "Change/s", "Before/s", "After/s",
               "Calls before", "Calls after", "ID", "Stack");
    for (size_t i = 0; error == 0 && i < count; i++)
        error = print_change(log, &change[i], form);
    for (size_t i = 0; form == FORM_TEXT && i < count; i++)
        if (change[i].before->is_light || change[i].after->is_light) {
            profile_explain_mark(stdout);
            break;
        }
    return error;
}
