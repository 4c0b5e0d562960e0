/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/run_parents.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "conf/base/grow.h"

/* So many runs of one pid that began before a child are looked at: the same pid may occur in as
 * many namespaces. */
enum { SAME_PID_MAX = 16 };

int run_parents_add(struct run_parents *parents, const struct capture *capture)
{
    struct run_ancestors ancestors = {(uint32_t)parents->pid_count, 0};
    for (size_t i = 0; capture != NULL && i < capture->ancestor_count; i++) {
        if (GROW(parents->pid, parents->pid_count) != 0)
            return -ENOMEM;
        parents->pid[parents->pid_count++] = capture->ancestors[i].pid;
        ancestors.count++;
    }
    if (GROW(parents->of_run, parents->count) != 0)
        return -ENOMEM;
    parents->of_run[parents->count++] = ancestors;
    return 0;
}

static int by_process(const void *left, const void *right, void *context)
{
    const struct succession_entry *entry = context;
    uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    const struct succession_entry *a = &entry[first], *b = &entry[second];
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return first < second ? -1 : first > second;
}

/* How many in the order come before what has the pid and began after `start_ns`. */
static size_t place_of(const struct run_parents *parents, const struct succession_entry *entry,
                       int32_t pid, uint64_t start_ns)
{
    size_t low = 0, high = parents->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct succession_entry *at = &entry[parents->order[middle]];
        if (at->pid < pid || (at->pid == pid && at->start_ns <= start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The run of this pid that may have lived when `child` began; SIZE_MAX: none. */
static size_t find_run(const struct run_parents *parents, const struct succession_entry *entry,
                       const struct partition_run *runs, size_t child, int32_t pid)
{
    size_t place = place_of(parents, entry, pid, entry[child].start_ns);
    for (size_t i = 0; i < SAME_PID_MAX && i < place; i++) {
        size_t run = parents->order[place - 1 - i];
        if (entry[run].pid != pid)
            break;
        if (run != child && entry[run].name_space == entry[child].name_space &&
            runs[run].task == runs[child].task && runs[run].max_ns >= entry[child].start_ns)
            return run;
    }
    return SIZE_MAX;
}

static size_t find_parent(const struct run_parents *parents, const struct succession_entry *entry,
                          const struct partition_run *runs, size_t child)
{
    const struct run_ancestors *ancestors = &parents->of_run[child];
    size_t found = SIZE_MAX;
    if (runs[child].task == SIZE_MAX)
        return found;
    for (uint32_t i = 0; i < ancestors->count && found == SIZE_MAX; i++)
        found = find_run(parents, entry, runs, child, parents->pid[ancestors->first + i]);
    return found;
}

int run_parents_find(struct run_parents *parents, const struct succession *succession,
                     struct partition_run *runs)
{
    parents->order = calloc(parents->count + 1, sizeof *parents->order);
    if (parents->order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < parents->count; i++)
        parents->order[i] = (uint32_t)i;
    qsort_r(parents->order, parents->count, sizeof *parents->order, by_process, succession->entry);
    for (size_t i = 0; i < parents->count; i++)
        runs[i].parent = find_parent(parents, succession->entry, runs, i);
    return 0;
}

void run_parents_free(struct run_parents *parents)
{
    free(parents->order);
    free(parents->pid);
    free(parents->of_run);
    *parents = (struct run_parents){NULL};
}
