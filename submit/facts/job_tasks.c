/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/job_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spank/journal.h"
#include "submit/facts/partition.h"
#include "submit/facts/program_name.h"

/* ---- What Slurm allocated to a job ----------------------------------------------------------- */

/* Two clocks are read one after the other: less is no step of one of them. */
#define CLOCK_ERROR_NS 1000000

static uint32_t cpus_here(const struct journal *journal)
{
    uint32_t cpus = journal->node_cpus > 0 ? journal->node_cpus
                    : journal->nodes > 1   ? journal->cpus / journal->nodes
                                           : journal->cpus;
    return cpus < PARTITION_CPUS_MAX ? cpus : PARTITION_CPUS_MAX;
}

static void find_start(const struct journal *journal, struct job_allocation *allocation)
{
    bool is_told = journal->start_ns != 0;
    bool has_prolog = journal->prolog_ns != 0;
    uint64_t first_ns = journal->step_count > 0 ? journal->steps[0].start_ns : journal->last_ns;
    allocation->start_ns = is_told ? journal->start_ns : has_prolog ? journal->prolog_ns : first_ns;
    allocation->start_source = is_told ? "slurm" : has_prolog ? "prolog" : "step";
}

static void find_end(const struct journal *journal, uint64_t now_ns,
                     struct job_allocation *allocation)
{
    bool has_epilog = journal->epilog_ns != 0, has_reboot = journal->reboot_ns != 0;
    allocation->end_ns = has_epilog ? journal->epilog_ns : has_reboot ? journal->reboot_ns : now_ns;
    allocation->end_source = has_epilog ? "epilog" : has_reboot ? "reboot" : "flush";
    if (allocation->end_ns < allocation->start_ns) /* a clock was set back */
        allocation->end_ns = allocation->start_ns;
}

bool job_allocation_clip(const struct job_allocation *allocation, uint64_t *start_ns,
                         uint64_t *end_ns)
{
    if (*start_ns < allocation->start_ns)
        *start_ns = allocation->start_ns;
    if (*end_ns > allocation->end_ns)
        *end_ns = allocation->end_ns;
    return *start_ns < *end_ns;
}

uint64_t job_allocation_most_runs(const struct job_allocation *allocation)
{
    double most = allocation->core_seconds * 10000;
    return most < UINT32_MAX ? (uint64_t)most : UINT32_MAX;
}

struct job_allocation job_allocation_find(const struct journal *journal, uint64_t now_ns)
{
    int64_t step_ns = journal->clock_step_ns;
    bool is_set = step_ns >= CLOCK_ERROR_NS || step_ns <= -CLOCK_ERROR_NS;
    struct job_allocation allocation = {.cpus = cpus_here(journal),
                                        .tasks = (uint32_t)journal->task_count,
                                        .is_clock_known = journal->is_clock_known,
                                        .clock_step = is_set ? (double)step_ns / 1e9 : 0};
    find_start(journal, &allocation);
    find_end(journal, now_ns, &allocation);
    for (size_t i = 0; i < journal->pause_count; i++) {
        uint64_t start_ns = journal->pauses[i].start_ns, end_ns = journal->pauses[i].end_ns;
        if (job_allocation_clip(&allocation, &start_ns, &end_ns))
            allocation.suspended_ns += end_ns - start_ns;
    }
    uint64_t ns = allocation.end_ns - allocation.start_ns - allocation.suspended_ns;
    allocation.core_seconds = (double)ns / 1e9 * allocation.cpus;
    return allocation;
}

/* Orders tasks by step and number, as qsort(3) asks. */
static int compare_numbers(uint32_t step_a, uint32_t task_a, uint32_t step_b, uint32_t task_b)
{
    if (step_a != step_b)
        return step_a < step_b ? -1 : 1;
    return task_a < task_b ? -1 : task_a > task_b;
}

static int compare_tasks(const void *left, const void *right)
{
    const struct journal_task *a = ((const struct job_task *)left)->task;
    const struct journal_task *b = ((const struct job_task *)right)->task;
    int order = compare_numbers(a->step, a->task, b->step, b->task);
    return order != 0 ? order : a < b ? -1 : a > b;
}

static int compare_programs(const void *left, const void *right)
{
    const struct journal_program *a = *(const struct journal_program *const *)left;
    const struct journal_program *b = *(const struct journal_program *const *)right;
    return compare_numbers(a->step, a->task, b->step, b->task);
}

/* Both are sorted by step and task. */
static void join_programs(struct job_tasks *tasks, const struct journal_program *const *program,
                          size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        struct job_task *task = &tasks->task[i];
        int order = -1;
        while (at < count && (order = compare_numbers(program[at]->step, program[at]->task,
                                                      task->task->step, task->task->task)) < 0)
            at++;
        task->launched = at < count && order == 0 ? program[at] : NULL;
        task->leader = task->launched == NULL ? JOURNAL_NONE : task->launched->leader;
    }
}

static int add_programs(const struct journal *journal, struct job_tasks *tasks)
{
    const struct journal_program **program = calloc(journal->program_count + 1, sizeof *program);
    if (program == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->program_count; i++)
        program[i] = &journal->programs[i];
    qsort(program, journal->program_count, sizeof *program, compare_programs);
    join_programs(tasks, program, journal->program_count);
    free(program);
    return 0;
}

int job_tasks_make(const struct journal *journal, struct job_tasks *tasks)
{
    struct job_tasks made = {.task = calloc(journal->task_count + 1, sizeof *made.task)};
    if (made.task == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->task_count; i++) {
        const struct journal_task *task = &journal->tasks[i];
        const struct journal_step *step = journal_find_step(journal, task->step);
        if (task->step != JOURNAL_STEP_EXTERN && step != NULL)
            made.task[made.count++] =
                (struct job_task){.task = task, .step = step, .alive_ns = task->start_ns};
    }
    qsort(made.task, made.count, sizeof *made.task, compare_tasks);
    int error = add_programs(journal, &made);
    if (error == 0)
        *tasks = made;
    else
        job_tasks_free(&made);
    return error;
}

size_t job_tasks_find(const struct job_tasks *tasks, uint32_t step, uint32_t task, int32_t pid)
{
    size_t low = 0, high = tasks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct journal_task *at = tasks->task[middle].task;
        if (compare_numbers(at->step, at->task, step, task) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t found = SIZE_MAX;
    for (; low < tasks->count; low++) {
        const struct journal_task *at = tasks->task[low].task;
        if (at->step != step || at->task != task)
            break;
        if (found == SIZE_MAX || at->pid == pid)
            found = low;
    }
    return found;
}

bool job_task_follows(const struct job_task *task)
{
    uint32_t own = task->task->task;
    bool has_leader = task->leader == JOURNAL_NONE ? own != 0 : own != task->leader;
    /* A daemon of mpirun's starts the ranks of its own node. */
    const char *path = task->launched == NULL ? NULL : task->launched->path;
    bool is_daemon = path != NULL && program_is_daemon(path, strlen(path));
    return has_leader && task->seen <= JOB_TASK_WRAPPER && !task->step->container &&
           !task->step->opted_out && !is_daemon;
}

void job_tasks_free(struct job_tasks *tasks)
{
    free(tasks->task);
    *tasks = (struct job_tasks){NULL, 0};
}
