/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/witness/flush/kernel_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "spank/journal.h"
#include "submit/facts/sampling_read.h"

static bool is_of_parallel(const struct journal *journal, const struct capture *capture)
{
    const struct journal_step *step = journal_find_step(journal, capture->step);
    return step != NULL && step->tasks > 1 && step->step < JOURNAL_STEP_INTERACTIVE;
}

static int compare_programs(const struct kernel_rank *a, const struct kernel_rank *b)
{
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int compare_ranks(const void *left, const void *right)
{
    const struct kernel_rank *a = left, *b = right;
    int order = compare_programs(a, b);
    if (order != 0)
        return order;
    return a->task < b->task ? -1 : a->task > b->task;
}

static void sort_ranks(struct kernel_ranks *ranks)
{
    size_t count = 0;
    if (ranks->count > 0)
        qsort(ranks->rank, ranks->count, sizeof *ranks->rank, compare_ranks);
    for (size_t i = 0; i < ranks->count; i++)
        if (count == 0 || compare_ranks(&ranks->rank[count - 1], &ranks->rank[i]) != 0)
            ranks->rank[count++] = ranks->rank[i];
    ranks->count = count;
}

static int add_ranks(const struct kernel_run_source *source, const struct kernel_noted *noted,
                     size_t noted_count, struct kernel_run *run, struct kernel_ranks *ranks,
                     size_t *room)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < noted_count; i++) {
        if (!kernel_run_find(source, &noted[i], run) ||
            !is_of_parallel(source->journal, &run->capture))
            continue;
        error = GROW_TO(ranks->rank, *room, ranks->count + 1);
        if (error == 0)
            ranks->rank[ranks->count++] =
                (struct kernel_rank){run->capture.step, run->capture.task, noted[i].program->name};
    }
    return error;
}

int kernel_ranks_make(const struct kernel_run_source *source, struct kernel_run *run,
                      struct kernel_ranks *ranks)
{
    const struct kernel_notes *notes = source->notes;
    size_t room = 0;
    *ranks = (struct kernel_ranks){.count = 0};
    size_t step = 0; /* most jobs have no parallel one */
    while (step < source->journal->step_count && source->journal->steps[step].tasks <= 1)
        step++;
    if (step == source->journal->step_count)
        return 0;
    int error = add_ranks(source, notes->noted, notes->count, run, ranks, &room);
    if (error == 0)
        error = add_ranks(source, notes->replaced, notes->replaced_count, run, ranks, &room);
    sort_ranks(ranks);
    return error;
}

void kernel_ranks_free(struct kernel_ranks *ranks)
{
    free(ranks->rank);
    *ranks = (struct kernel_ranks){.count = 0};
}

/* The place of the lowest task that has the program. */
static size_t find_lowest(const struct kernel_ranks *ranks, const struct kernel_rank *key)
{
    size_t low = 0, high = ranks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = compare_programs(&ranks->rank[middle], key) < 0;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

const struct job_task *kernel_ranks_launched(const struct job_tasks *tasks,
                                             const struct journal_task *known, const char *path)
{
    size_t at =
        known == NULL ? SIZE_MAX : job_tasks_find(tasks, known->step, known->task, known->pid);
    const struct job_task *task = at == SIZE_MAX ? NULL : &tasks->task[at];
    bool is_it = task != NULL && task->launched != NULL && task->launched->path != NULL &&
                 strcmp(basename(task->launched->path), basename(path)) == 0;
    return is_it ? task : NULL;
}

bool kernel_ranks_leads(const struct kernel_ranks *ranks, const struct kernel_run_source *source,
                        const struct job_tasks *tasks, const struct kernel_noted *noted,
                        struct kernel_run *run)
{
    struct capture *capture = &run->capture;
    if (!is_of_parallel(source->journal, capture))
        return true;
    const struct kernel_rank key = {capture->step, capture->task, noted->program->name};
    const struct job_task *launched = kernel_ranks_launched(tasks, run->is_task, key.path);
    const size_t lowest = find_lowest(ranks, &key);
    size_t end = lowest;
    while (end < ranks->count && compare_programs(&ranks->rank[end], &key) == 0)
        end++;
    if ((launched != NULL && job_task_follows(launched)) ||
        (end > lowest && ranks->rank[lowest].task < capture->task))
        return false;
    if (launched == NULL) {
        capture->size = (uint32_t)(end - lowest);
        capture->table = sampling_table(source->policy, capture->size);
    }
    return true;
}
