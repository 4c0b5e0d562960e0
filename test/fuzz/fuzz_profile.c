/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's file of profiles, and what is made of it.
 */
#include <stdlib.h>

#include "contrib/profile/profile_collect.h"
#include "contrib/profile/routine_summary.h"
#include "contrib/profile/set_order.h"
#include "contrib/profile/symbol_names.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_profile_file.h"

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    return symbol_name(context, object, address);
}

static struct collect_end end(void *context, const struct profiled_process *process)
{
    (void)context;
    return process->pid % 2 == 0
               ? (struct collect_end){.ns = 0}
               : (struct collect_end){.ns = process->start.boot_ns + 1000000000,
                                      .max_ns = process->start.boot_ns + 2000000000,
                                      .is_known = process->pid % 3 == 0,
                                      .way = (uint32_t)process->pid % PROFILE_WAYS,
                                      .status = process->pid};
}

/* Samples of any process make a sampling file. */
static int sampled(void *context, size_t rank, const struct profile_sample *samples, size_t count,
                   uint64_t interval_ns)
{
    (void)context;
    (void)rank;
    for (size_t i = 0; i < count; i++)
        if (samples[i].kind != PROFILE_ENTER && samples[i].kind != PROFILE_EXIT)
            abort();
    (void)interval_ns;
    return 0;
}

static void check_table(const struct profile_set *set, const struct set_table *table)
{
    uint64_t *room = calloc(set->stacks.count, sizeof *room);
    uint64_t *exclusive = calloc(table->count + 1, sizeof *exclusive);
    if (room == NULL || exclusive == NULL)
        abort();
    profile_set_exclusive(set, table, room, exclusive);
    for (size_t i = 0; i < table->count; i++)
        if (exclusive[i] > table->entry[i].inclusive_ns ||
            table->entry[i].largest_ns > table->entry[i].inclusive_ns ||
            (i > 0 && table->entry[i].stack <= table->entry[i - 1].stack))
            abort();
    free(room);
    free(exclusive);
}

static void check_routines(const struct profile_set *set)
{
    struct routine_summary summary;
    if (routine_summary_make(set, NULL, &summary) != 0)
        abort();
    if (!(summary.mpi_share >= 0 && summary.mpi_share <= 1) || !(summary.imbalance >= 0))
        abort();
    free(summary.routine);
    for (size_t i = 0; i < set->routine_count; i++)
        if (set->routines[i].rank >= set->rank_count || set->routines[i].name >= set->names.count ||
            (i > 0 && set->routines[i].rank < set->routines[i - 1].rank))
            abort();
}

static void use(struct profile_content *content)
{
    struct symbol_names names = {.debug = "/"};
    const struct collect_facts facts = {
        .node = "n1", .end = end, .name = name, .sampled = sampled, .context = &names};
    struct profile_set set;
    struct set_order order;
    /* files that a hostile profile names are not the fuzzer's to open */
    for (size_t i = 0; i < content->process_count; i++)
        for (size_t j = 0; j < content->processes[i].object_count; j++)
            content->processes[i].objects[j].path[0] = '\0';
    if (profile_set_begin(&set) != 0 || profile_collect(content, &facts, &set) != 0 ||
        set_order_make(&set, &order) != 0)
        abort();
    for (size_t i = 0; i < set.table_count; i++)
        check_table(&set, &set.tables[i]);
    check_routines(&set);
    set_order_free(&order);
    profile_set_free(&set);
    symbol_names_free(&names);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    struct profile_content content;
    fuzz_profile_file(&fd, data, size);
    if (profile_read(fd, UINT64_C(1) << 30, &content) == 0) {
        use(&content);
        profile_content_free(&content);
    }
    return 0;
}
