/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which run leads its task, and what each run and task had. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spank/journal.h"
#include "submit/facts/division_parts.h"

/* Of what programs had in a task the least share of the run that leads. */
#define LEADING_SHARE 0.9

static double sum_of(struct partition_shares shares)
{
    double sum = 0;
    for (size_t i = 0; i < shares.count; i++)
        sum += shares.share[i].core_seconds;
    return sum;
}

static void find_followed(struct division *division)
{
    const struct job_tasks *tasks = division->source.tasks;
    for (size_t i = 0; i < tasks->count; i++) {
        const struct job_task *task = &tasks->task[i];
        bool follows =
            !division->source.is_excluded && job_task_follows(task) && task->leader != JOURNAL_NONE;
        if (follows)
            division->followed[i] = job_tasks_find(tasks, task->task->step, task->leader, 0);
    }
}

static int find_leading(struct division *division)
{
    size_t count = division->source.tasks->count;
    double *programs = calloc(count + 1, sizeof *programs);
    if (programs == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < division->run_count; i++)
        if (division->run[i].task != SIZE_MAX)
            programs[division->run[i].task] += sum_of(division_of_run(division, i));
    for (size_t i = 0; i < count; i++) {
        size_t run = division->own_run[i];
        if (run != SIZE_MAX && division->source.tasks->task[i].is_launched &&
            sum_of(division_of_run(division, run)) >= LEADING_SHARE * programs[i])
            division->leading[i] = run;
    }
    free(programs);
    return 0;
}

int division_find_leaders(struct division *division)
{
    find_followed(division);
    return find_leading(division);
}

static void add_shares(struct division *division, struct partition_shares shares)
{
    for (size_t i = 0; i < shares.count; i++)
        division->sum[shares.share[i].day] += shares.share[i].core_seconds;
}

/* Of the tasks of its step that follow the task. */
static void add_followers(struct division *division, size_t task)
{
    const struct job_tasks *tasks = division->source.tasks;
    uint32_t step = tasks->task[task].task->step;
    size_t first = task;
    while (first > 0 && tasks->task[first - 1].task->step == step)
        first--;
    for (size_t i = first; i < tasks->count && tasks->task[i].task->step == step; i++)
        if (division->followed[i] == task)
            add_shares(division, division_of_task(division, i, PARTITION_FOLLOWER));
}

/* Empties `sum`. */
static struct allocation_run take_sum(struct division *division)
{
    struct allocation_run had = {.day = division->day};
    for (size_t day = 0; day < division->day_count; day++) {
        if (division->sum[day] <= 0)
            continue;
        struct allocation_day *made = &division->day[had.day_count++];
        memcpy(made->date, division->date[day].text, sizeof made->date);
        made->core_seconds = division->sum[day];
        had.core_seconds += made->core_seconds;
        division->sum[day] = 0;
    }
    return had;
}

/* The most of the time in which the job may have been suspended that a run can have had. */
static double most_suspended(const struct division *division, const struct partition_run *run)
{
    const struct division_source *source = &division->source;
    double most = 0;
    for (size_t i = 0; i < source->journal->pause_count; i++) {
        const struct journal_pause *pause = &source->journal->pauses[i];
        const uint64_t edges[2][2] = {{pause->may_start_ns, pause->start_ns},
                                      {pause->end_ns, pause->may_end_ns}};
        for (size_t edge = 0; edge < 2; edge++) {
            uint64_t start_ns = edges[edge][0], end_ns = edges[edge][1];
            if (start_ns < run->start_ns)
                start_ns = run->start_ns;
            if (end_ns > run->max_ns)
                end_ns = run->max_ns;
            if (job_allocation_clip(source->allocation, &start_ns, &end_ns))
                most += (double)(end_ns - start_ns) / 1e9 * source->allocation->cpus;
        }
    }
    return most;
}

struct allocation_run division_had(struct division *division, size_t run)
{
    const struct partition_run *known = &division->run[run];
    struct partition_shares shares = division_of_run(division, run);
    double more = partition_most_of_run(division->partition, run) - sum_of(shares);
    bool leads = known->task != SIZE_MAX && division->leading[known->task] == run;
    add_shares(division, shares);
    if (leads)
        add_followers(division, known->task);
    struct allocation_run had = take_sum(division);
    had.leads = leads;
    had.most = had.core_seconds + (more > 0 ? more : 0);
    if (known->kind == PARTITION_PROGRAM && known->task != SIZE_MAX)
        had.most += most_suspended(division, known);
    return had;
}

struct allocation_run division_static_had(struct division *division, size_t task)
{
    double more = sum_of(division_of_task(division, task, PARTITION_UNCERTAIN));
    add_shares(division, division_of_task(division, task, PARTITION_UNSEEN));
    add_followers(division, task);
    struct allocation_run had = take_sum(division);
    had.leads = true;
    had.most = had.core_seconds + more;
    return had;
}

size_t division_leading(const struct division *division, size_t task)
{
    return division->leading[task];
}

size_t division_followed(const struct division *division, size_t task)
{
    return division->followed[task];
}

size_t division_run_count(const struct division *division)
{
    return division->run_count;
}

struct division_run division_run(const struct division *division, size_t run)
{
    const struct partition_run *known = &division->run[run];
    return (struct division_run){.task = known->task,
                                 .is_program = known->kind == PARTITION_PROGRAM,
                                 .is_left_out = division->left_out[run] != NULL,
                                 .is_passed_over = division->passed_over[run],
                                 .program = division->left_out[run],
                                 .start_ns = known->start_ns};
}

struct partition_shares division_of_run(const struct division *division, size_t run)
{
    return partition_of_run(division->partition, run);
}

struct partition_shares division_of_task(const struct division *division, size_t task,
                                         enum partition_part part)
{
    return partition_of_task(division->partition, task, part);
}

struct partition_shares division_idle(const struct division *division)
{
    return partition_idle(division->partition);
}
