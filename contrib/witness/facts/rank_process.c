/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/facts/rank_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/policy/policy_read.h"
#include "submit/facts/program_name.h"

/* One starts another where a launcher goes from node to node. */
enum { DAEMONS_MAX = 4 };

static int compare_parents(int32_t parent_a, uint64_t start_a, int32_t parent_b, uint64_t start_b)
{
    if (parent_a != parent_b)
        return parent_a < parent_b ? -1 : 1;
    return start_a < start_b ? -1 : start_a > start_b;
}

static int compare_children(const void *left, const void *right)
{
    const struct kernel_note *a = &(*(const struct kernel_noted *const *)left)->note,
                             *b = &(*(const struct kernel_noted *const *)right)->note;
    int order = compare_parents(a->parent, a->parent_start_ns, b->parent, b->parent_start_ns);
    if (order != 0)
        return order;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

int rank_processes_make(const struct kernel_notes *notes, const struct policy_header *policy,
                        struct rank_processes *processes)
{
    *processes = (struct rank_processes){
        .notes = notes,
        .policy = policy,
        .child = calloc(notes->count + 1, sizeof(struct kernel_noted *)),
        .open = calloc(notes->count + 1, sizeof(struct kernel_noted *)),
    };
    if (processes->child == NULL || processes->open == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < notes->count; i++)
        processes->child[i] = &notes->noted[i];
    qsort(processes->child, notes->count, sizeof(struct kernel_noted *), compare_children);
    return 0;
}

void rank_processes_free(struct rank_processes *processes)
{
    free(processes->child);
    free(processes->open);
    *processes = (struct rank_processes){.notes = NULL};
}

/* Whether what rules decide by arguments is left out is not known: the kernel tells none. */
static bool is_tracked(const struct policy_header *policy, const char *path)
{
    size_t size = strlen(path);
    const struct policy_decision decision = policy_decide(policy, path, size, 0, NULL, NULL);
    bool is_by_arguments = decision.path != NULL && decision.path->action == POLICY_CUSTOM;
    return is_by_arguments || decision.action != POLICY_SKIP;
}

/* A name without a path, as of `ends`, may be the system's. */
static bool is_wrapper(const char *path, size_t size)
{
    char in_system[64];
    if (memchr(path, '/', size) == NULL && size < sizeof in_system - sizeof "/bin/") {
        size = (size_t)snprintf(in_system, sizeof in_system, "/bin/%s", path);
        path = in_system;
    }
    return wrapper_kind(path, size) != WRAPPER_NONE;
}

static bool is_rank(const struct rank_processes *processes, const struct kernel_noted *noted)
{
    if (noted->program == NULL) /* it executed nothing, or is older than the witness */
        return (noted->note.lack & KERNEL_LACK_START) != 0;
    const char *path = noted->program->name;
    size_t size = strlen(path);
    return size > 0 && !program_is_shell(path, size) && !program_is_launcher(path, size) &&
           !program_is_runtime(path, size) && !is_wrapper(path, size) &&
           is_tracked(processes->policy, path);
}

bool rank_process_has_ranks(const struct kernel_noted *noted)
{
    return noted->program != NULL &&
           program_forks_tasks(noted->program->name, strlen(noted->program->name));
}

/* The place of the first child of a process, or where it would be. */
static size_t first_child(const struct rank_processes *processes, const struct kernel_note *parent)
{
    size_t low = 0, high = processes->notes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct kernel_note *note = &processes->child[middle]->note;
        if (compare_parents(note->parent, note->parent_start_ns, parent->pid, parent->start_ns) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_child(const struct kernel_noted *noted, const struct kernel_note *parent)
{
    return noted->note.parent == parent->pid && noted->note.parent_start_ns == parent->start_ns;
}

bool rank_process_is_far(const struct rank_processes *processes, const struct kernel_noted *noted)
{
    const size_t all = processes->notes->count;
    size_t i = first_child(processes, &noted->note);
    if (program_is_daemon(noted->program->name, strlen(noted->program->name)))
        return true;
    for (; i < all && is_child(processes->child[i], &noted->note); i++) {
        const struct kernel_program *program = processes->child[i]->program;
        if (program != NULL && program_is_launcher(program->name, strlen(program->name)) &&
            !program_forks_tasks(program->name, strlen(program->name)))
            return true;
    }
    return false;
}

/* Puts the children of a process on the list of those to be looked at, which then has none twice: a
 * child is younger than its parent. */
static size_t open_children(const struct rank_processes *processes,
                            const struct kernel_note *parent, size_t count)
{
    const size_t all = processes->notes->count;
    size_t i = first_child(processes, parent);
    for (; i < all && count < all && is_child(processes->child[i], parent); i++)
        if (processes->child[i]->note.start_ns > parent->start_ns)
            processes->open[count++] = processes->child[i];
    return count;
}

/* The oldest one below it. */
static const struct kernel_noted *oldest_rank(const struct rank_processes *processes,
                                              const struct kernel_noted *top)
{
    const struct kernel_noted *oldest = NULL;
    size_t count = open_children(processes, &top->note, 0);
    while (count > 0) {
        const struct kernel_noted *next = processes->open[--count];
        if (!is_rank(processes, next))
            count = open_children(processes, &next->note, count);
        else if (oldest == NULL || next->note.start_ns < oldest->note.start_ns)
            oldest = next;
    }
    return oldest;
}

/* `daemons`: so many launchers and their daemons are above it. */
static int find_ranks(const struct rank_processes *processes, const struct kernel_noted *top,
                      unsigned daemons, rank_take *take, void *context)
{
    if (rank_process_has_ranks(top) && daemons < DAEMONS_MAX) {
        int error = 0;
        size_t all = processes->notes->count;
        for (size_t i = first_child(processes, &top->note);
             error == 0 && i < all && is_child(processes->child[i], &top->note); i++)
            error = find_ranks(processes, processes->child[i], daemons + 1, take, context);
        return error;
    }
    const struct kernel_noted *rank = is_rank(processes, top) ? top : oldest_rank(processes, top);
    return rank == NULL ? 0 : take(context, rank, daemons == 0);
}

int rank_processes_find(const struct rank_processes *processes, const struct kernel_noted *task,
                        rank_take *take, void *context)
{
    return find_ranks(processes, task, 0, take, context);
}
