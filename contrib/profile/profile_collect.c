/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/task_ranks.h"
#include "contrib/profile/tick_scale.h"

/* The sums of a rank, while its processes are added. */
struct sums {
    struct set_entry *entry; /* owned; by stack; `stack` is 0 where there is none */
    size_t room;
    uint32_t *touched; /* owned; stacks that have an entry */
    size_t touched_count, touched_room;
    uint64_t *inclusive; /* owned: of the nodes of a process */
    uint32_t *stack;     /* owned: the same */
    uint32_t *depth;     /* owned: the same; as in struct set_entry */
    size_t inclusive_room, stack_room, depth_room;
    uint32_t *routine; /* owned; by name: where the set may have the routine of this rank, plus 1 */
    size_t routine_room;
};

struct collect {
    struct profile_content *content;
    const struct collect_facts *facts;
    struct profile_set *set;
    struct sums sums;
};

/* When the calls of a process end, in ticks. */
struct ended {
    struct collect_end told;
    uint64_t newest; /* what it left last */
    uint64_t at;
    uint64_t most; /* nothing of the file is later */
};

static int name_node(const struct collect *collect, const struct profiled_process *process,
                     const struct child_key *key, uint32_t *name)
{
    const struct profiled_object *object =
        key->space - 1 < process->object_count ? &process->objects[key->space - 1] : NULL;
    const char *text = key->space == CALL_INIT ? "init"
                       : key->space == CALL_OTHERS
                           ? "others"
                           : collect->facts->name(collect->facts->context, object, key->what);
    return text == NULL ? -ENOMEM : name_table_add(&collect->set->names, text, name);
}

/* The set's stack of each node of the process: of a function that calls itself, its caller's. */
static int name_stacks(struct collect *collect, const struct profiled_process *process)
{
    size_t count = process->tree.children.count;
    struct sums *sums = &collect->sums;
    int error = GROW_TO(sums->stack, sums->stack_room, count);
    if (error == 0)
        error = GROW_TO(sums->inclusive, sums->inclusive_room, count);
    if (error == 0)
        error = GROW_TO(sums->depth, sums->depth_room, count);
    if (error != 0)
        return error;
    sums->stack[0] = PROFILE_SET_INIT;
    sums->depth[0] = 1;
    for (size_t i = 1; error == 0 && i < count; i++) {
        const struct child_key *key = &process->tree.children.key[i];
        uint32_t name;
        error = name_node(collect, process, key, &name);
        uint32_t caller = sums->stack[key->parent];
        bool is_again = caller != PROFILE_SET_INIT && collect->set->stacks.key[caller].what == name;
        sums->depth[i] = is_again ? sums->depth[key->parent] + 1 : 1;
        sums->stack[i] = caller;
        if (error == 0 && !is_again)
            error = profile_set_stack(collect->set, caller, name, &sums->stack[i]);
    }
    size_t before = sums->room;
    if (error == 0)
        error = GROW_TO(sums->entry, sums->room, collect->set->stacks.count);
    if (error == 0)
        error = GROW_TO(sums->touched, sums->touched_room, collect->set->stacks.count);
    if (error == 0 && sums->room > before)
        memset(sums->entry + before, 0, (sums->room - before) * sizeof *sums->entry);
    return error;
}

/* Adds the times as nanoseconds: inclusive time is the sum of exclusive ones, so that rounding
 * takes nothing away. */
static void add_nodes(struct collect *collect, const struct profiled_process *process,
                      const struct tick_scale *scale)
{
    const struct call_tree *tree = &process->tree;
    uint64_t *inclusive = collect->sums.inclusive;
    memset(inclusive, 0, tree->children.count * sizeof *inclusive);
    for (size_t i = tree->children.count; i-- > 0;) {
        const struct call_node *node = &tree->node[i];
        struct set_entry *entry = &collect->sums.entry[collect->sums.stack[i]];
        saturate_add(&inclusive[i], tick_ns(scale, node->exclusive));
        if (i > 0)
            saturate_add(&inclusive[tree->children.key[i].parent], inclusive[i]);
        uint64_t calls = entry->calls, ns = entry->inclusive_ns;
        uint64_t largest = tick_ns(scale, node->largest);
        saturate_add(&calls, node->calls);
        saturate_add(&ns, inclusive[i]);
        if (largest > inclusive[i])
            largest = inclusive[i];
        uint32_t depth = collect->sums.depth[i];
        entry->calls = calls & INT64_MAX;
        entry->is_light |= node->is_light;
        entry->depth = depth > entry->depth ? depth : entry->depth;
        if (depth == 1) /* the time of others is in that */
            entry->inclusive_ns = ns;
        if (largest > entry->largest_ns)
            entry->largest_ns = largest;
        if (entry->stack == 0)
            collect->sums.touched[collect->sums.touched_count++] = collect->sums.stack[i];
        entry->stack = collect->sums.stack[i] + 1;
    }
}

/* When it had ended at the latest, since the Epoch. Of a job that is over all have ended now. */
static uint64_t latest_end(const struct tick_scale *scale, const struct collect_end *told,
                           const struct profile_pair *now, uint64_t end_ns)
{
    uint64_t boot_ns = told->max_ns;
    if (now != NULL && told->way != PROFILE_WAY_NONE && (boot_ns == 0 || boot_ns > now->boot_ns))
        boot_ns = now->boot_ns;
    if (boot_ns == 0)
        return UINT64_MAX;
    uint64_t latest = scale->from.real_ns + (boot_ns - scale->from.boot_ns);
    return boot_ns < scale->from.boot_ns || latest < end_ns ? end_ns : latest;
}

/* A rank of several processes tells of that which ended worst, and of the first of these. */
static void note_end(const struct collect *collect, const struct profiled_process *process,
                     const struct tick_scale *scale, const struct ended *ended,
                     struct profile_rank *rank)
{
    const struct collect_end *told = &ended->told;
    bool is_by_itself = told->way == PROFILE_WAY_LEFT || told->way == PROFILE_WAY_ABORTED;
    if (!process->has_ended)
        rank->flags &= ~(uint32_t)PROFILE_RANK_ENDED;
    if (!told->is_known)
        rank->flags &= ~(uint32_t)PROFILE_RANK_END_KNOWN;
    if (rank->end_pid != 0 && told->way <= rank->way)
        return;
    rank->way = told->way;
    rank->status = told->status;
    rank->end_pid = process->pid;
    uint64_t abort = profiled_abort(process);
    rank->end_at_ns = tick_real_ns(scale, abort != 0 ? abort : ended->at);
    rank->end_min_ns = rank->end_max_ns = rank->end_at_ns;
    if (!is_by_itself) {
        rank->end_min_ns =
            tick_real_ns(scale, tick_at(scale, told->min_ns, ended->newest, ended->at));
        rank->end_max_ns = latest_end(scale, told, collect->facts->now, rank->end_at_ns);
    }
    rank->where = PROFILE_SET_INIT;
    rank->where_ns = 0;
    rank->flags &= ~(uint32_t)PROFILE_RANK_WHERE_TIMED;
    /* Where the main thread was, or another one where it was in nothing. */
    for (size_t i = 0; i < process->tree.open_count; i++) {
        const struct open_call *open = &process->tree.open[i];
        bool is_main = open->tid == process->pid;
        if (!open->is_top || open->node == 0 || (rank->where != PROFILE_SET_INIT && !is_main))
            continue;
        bool is_timed = open->start != 0 && open->start <= ended->at && scale->tick_ns > 0;
        rank->where = collect->sums.stack[open->node];
        rank->where_ns = is_timed ? tick_ns(scale, ended->at - open->start) : 0;
        rank->flags &= ~(uint32_t)PROFILE_RANK_WHERE_TIMED;
        rank->flags |= is_timed ? PROFILE_RANK_WHERE_TIMED : 0u;
    }
}

static int tell_samples(const struct collect *collect, const struct profiled_process *process,
                        const struct tick_scale *scale)
{
    size_t count = process->sample_count;
    if (collect->facts->sampled == NULL || count == 0 || scale->tick_ns <= 0)
        return 0;
    CLEANUP_FREE struct profile_sample *samples = calloc(count, sizeof *samples);
    if (samples == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct profiled_sample *sample = &process->samples[i];
        samples[i] =
            (struct profile_sample){tick_real_ns(scale, sample->ticks),
                                    collect->sums.stack[sample->node], sample->tid, sample->kind};
    }
    return collect->facts->sampled(collect->facts->context, collect->set->rank_count, samples,
                                   count, tick_ns(scale, process->sample_gap));
}

/* The set's entry for a routine of the rank that is being added. */
static int find_routine(struct collect *collect, const char *name,
                        struct profile_routine_entry **entry)
{
    struct profile_set *set = collect->set;
    struct sums *sums = &collect->sums;
    uint32_t number, rank = (uint32_t)set->rank_count;
    size_t before = sums->routine_room;
    int error = name_table_add(&set->names, name, &number);
    if (error == 0)
        error = GROW_TO(sums->routine, sums->routine_room, number + (size_t)1);
    if (error == 0)
        error = GROW_TO(set->routines, set->routine_room, set->routine_count + 1);
    if (error != 0)
        return error;
    memset(sums->routine + before, 0, (sums->routine_room - before) * sizeof *sums->routine);
    size_t at = sums->routine[number];
    if (at == 0 || set->routines[at - 1].rank != rank) {
        set->routines[set->routine_count] =
            (struct profile_routine_entry){.rank = rank, .name = number};
        at = ++set->routine_count;
        sums->routine[number] = (uint32_t)at;
    }
    *entry = &set->routines[at - 1];
    return 0;
}

static int add_routines(struct collect *collect, const struct profiled_process *process,
                        const struct tick_scale *scale)
{
    for (size_t i = 0; i < process->routine_count; i++) {
        const struct profiled_routine *routine = &process->routines[i];
        struct profile_routine_entry *entry;
        if (routine->calls == 0 && (routine->flags & PROFILE_ROUTINE_MISSED) == 0)
            continue;
        int error = find_routine(collect, routine->name, &entry);
        if (error != 0)
            return error;
        uint64_t largest = tick_ns(scale, routine->largest);
        entry->flags |= routine->flags;
        saturate_add(&entry->calls, routine->calls);
        saturate_add(&entry->ns, tick_ns(scale, routine->ticks));
        saturate_add(&entry->bytes, routine->bytes);
        saturate_add(&entry->sized, routine->sized);
        if (largest > entry->largest_ns)
            entry->largest_ns = largest;
        uint64_t since = routine->open == 0 ? 0 : tick_real_ns(scale, routine->open_start);
        if (entry->open == 0 || (since != 0 && since < entry->open_since_ns))
            entry->open_since_ns = since;
        saturate_add(&entry->open, routine->open);
    }
    return 0;
}

/* How long the process ran, for each of its threads that called routines. */
static uint64_t called_ns(const struct profiled_process *process, const struct tick_scale *scale,
                          uint64_t end)
{
    uint64_t ns = end < process->start.ticks ? 0 : tick_ns(scale, end - process->start.ticks), sum;
    if (process->before_ns < process->start.boot_ns)
        saturate_add(&ns, process->before_ns);
    return __builtin_mul_overflow(ns, process->callers, &sum) ? UINT64_MAX : sum;
}

/* The program of a rank is that which called MPI first, or where none did the first one. */
static int name_executable(const struct collect *collect, const struct task_process *processes,
                           size_t count, struct profile_rank *rank)
{
    size_t at = 0;
    uint32_t number;
    while (at < count && !profiled_calls_mpi(processes[at].process))
        at++;
    const char *path = profiled_executable(processes[at < count ? at : 0].process);
    int error = path == NULL ? 0 : name_table_add(&collect->set->names, path, &number);
    if (path != NULL && error == 0)
        rank->executable = number + 1;
    return error;
}

static struct ended find_end(const struct profiled_process *process,
                             const struct collect_facts *facts, const struct tick_scale *scale)
{
    struct ended ended = {.most = tick_most(process, facts->now)};
    ended.newest = process->newest < ended.most ? process->newest : ended.most;
    bool is_left = process->has_ended && profiled_is_in_mpi(process);
    if ((!process->has_ended || is_left) && facts->end != NULL)
        ended.told = facts->end(facts->context, process);
    if (is_left || profiled_abort(process) != 0) /* what ended it then says nothing of the reason */
        ended.told = (struct collect_end){
            .ns = is_left ? 0 : ended.told.ns,
            .is_known = true,
            .way = profiled_abort(process) != 0 ? PROFILE_WAY_ABORTED : PROFILE_WAY_LEFT,
            .status = ended.told.way == PROFILE_WAY_EXITED ? ended.told.status : -1};
    uint64_t ns = ended.told.ns;
    if (ns == UINT64_MAX)
        ns = facts->now != NULL ? facts->now->boot_ns : 0;
    ended.at = tick_at(scale, ns, ended.newest, ended.most);
    return ended;
}

static int add_process(struct collect *collect, struct profiled_process *process,
                       struct profile_rank *rank)
{
    const struct collect_facts *facts = collect->facts;
    const struct tick_scale scale = tick_scale_of(&collect->content->header, process, facts->now);
    const struct ended ended = find_end(process, facts, &scale);
    const uint64_t end = ended.at;
    call_tree_finish(&process->tree, end);
    calls_finish(process, end);
    int error = name_stacks(collect, process);
    if (error == 0)
        error = tell_samples(collect, process, &scale);
    if (error == 0 && facts->taken != NULL)
        error = facts->taken(facts->context, collect->set->rank_count, process);
    if (error == 0)
        error = add_routines(collect, process, &scale);
    if (error != 0)
        return error;
    add_nodes(collect, process, &scale);
    uint64_t end_ns = tick_real_ns(&scale, end);
    if (rank->processes++ == 0) {
        rank->pid = process->pid;
        rank->begin_ns = process->start.real_ns;
        rank->flags = PROFILE_RANK_ENDED | PROFILE_RANK_END_KNOWN;
    }
    if (end_ns > rank->end_ns)
        rank->end_ns = end_ns;
    if (!process->has_ended || ended.told.way != PROFILE_WAY_NONE)
        note_end(collect, process, &scale, &ended, rank);
    if (process->is_confined)
        rank->flags &= ~(uint32_t)PROFILE_RANK_END_KNOWN;
    rank->flags |= (process->is_light ? PROFILE_RANK_LIGHT : 0u) |
                   (process->is_confined ? PROFILE_RANK_CONFINED : 0u) |
                   (process->is_hooked ? PROFILE_RANK_HOOKED : 0u) |
                   (process->counter == PROFILE_COARSE ? PROFILE_RANK_COARSE : 0u) |
                   (scale.tick_ns <= 0 ? PROFILE_RANK_UNTIMED : 0u);
    saturate_add(&rank->threads, process->threads);
    saturate_add(&rank->lost_calls, process->lost_calls);
    saturate_add(&rank->dead_frames, process->dead_frames);
    saturate_add(&rank->stray_exits, process->stray_exits);
    saturate_add(&rank->clipped, process->tree.clipped);
    saturate_add(&rank->callers, process->callers);
    saturate_add(&rank->called_ns, called_ns(process, &scale, end));
    saturate_add(&rank->lost_times, process->lost_times);
    saturate_add(&rank->missed, process->missed_routines);
    saturate_add(&rank->missed_mpi, process->missed_mpi);
    return error;
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Takes the sums out as a table, and leaves them empty. */
static int take_table(struct sums *sums, struct set_table *table)
{
    table->count = sums->touched_count;
    table->entry = malloc((table->count + 1) * sizeof *table->entry);
    if (table->entry == NULL)
        return -ENOMEM;
    qsort(sums->touched, table->count, sizeof *sums->touched, by_number);
    for (size_t i = 0; i < table->count; i++) {
        struct set_entry *entry = &sums->entry[sums->touched[i]];
        table->entry[i] = *entry;
        table->entry[i].stack = sums->touched[i];
        *entry = (struct set_entry){.stack = 0};
    }
    sums->touched_count = 0;
    return 0;
}

static int add_rank(struct collect *collect, const struct task_process *processes, size_t count)
{
    const struct profiled_process *last = processes[count - 1].process;
    struct profile_rank rank = {.step = last->step,
                                .task = last->task,
                                .rank = last->rank,
                                .size = last->size,
                                .program = last->program,
                                .job = collect->facts->job,
                                .step_nodes = collect->facts->step_nodes};
    struct set_table table;
    snprintf(rank.node, sizeof rank.node, "%s", collect->facts->node);
    int error = name_executable(collect, processes, count, &rank);
    for (size_t i = 0; error == 0 && i < count; i++)
        error = add_process(collect, processes[i].process, &rank);
    if (error == 0)
        error = take_table(&collect->sums, &table);
    return error != 0 ? error : profile_set_add(collect->set, &rank, table);
}

int profile_collect(struct profile_content *content, const struct collect_facts *facts,
                    struct profile_set *set)
{
    struct collect collect = {.content = content, .facts = facts, .set = set};
    size_t count = content->process_count;
    struct task_process *made = NULL;
    int error = task_ranks_sort(content, &made);
    CLEANUP_FREE struct task_process *sorted = made;
    for (size_t i = 0, next = 0; error == 0 && i < count; i = next) {
        for (next = i + 1; next < count && task_ranks_are_same(&sorted[next - 1], &sorted[next]);)
            next++;
        error = add_rank(&collect, sorted + i, next - i);
    }
    saturate_add(&set->damaged, content->damaged);
    free(collect.sums.entry);
    free(collect.sums.touched);
    free(collect.sums.inclusive);
    free(collect.sums.stack);
    free(collect.sums.depth);
    free(collect.sums.routine);
    return error;
}
