/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The days of an allocation, and on which of them the job may have been suspended; which run leads
 * its task, and what each run and task had. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "spank/journal.h"
#include "submit/facts/division.h"
#include "submit/facts/division_parts.h"

int division_find_days(struct division *division)
{
    const struct job_allocation *allocation = division->source.allocation;
    size_t count;
    if (days_midnights(allocation->start_ns, allocation->end_ns, &division->midnights, &count) != 0)
        return -ENOMEM;
    division->day_count = count + 1;
    division->date = calloc(division->day_count, sizeof *division->date);
    division->sum = calloc(division->day_count, sizeof *division->sum);
    division->day = calloc(division->day_count, sizeof *division->day);
    if (division->date == NULL || division->sum == NULL || division->day == NULL)
        return -ENOMEM;
    for (size_t i = 0; i <= count; i++)
        days_text(days_of(i == 0 ? allocation->start_ns : division->midnights[i - 1]),
                  division->date[i].text);
    return 0;
}

uint32_t division_day(const struct division *division, uint64_t time_ns)
{
    uint32_t low = 0, high = (uint32_t)division->day_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (division->midnights[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *division_date(const struct division *division, uint32_t day)
{
    return division->date[day].text;
}

/* Adds the CPU seconds between the two times to `sum`. */
static void add_between(struct division *division, uint64_t start_ns, uint64_t end_ns)
{
    const struct job_allocation *allocation = division->source.allocation;
    if (!job_allocation_clip(allocation, &start_ns, &end_ns))
        return;
    for (uint32_t day = division_day(division, start_ns); start_ns < end_ns; day++) {
        bool is_last = day + 1 >= division->day_count || division->midnights[day] >= end_ns;
        uint64_t until_ns = is_last ? end_ns : division->midnights[day];
        division->sum[day] += (double)(until_ns - start_ns) / 1e9 * allocation->cpus;
        start_ns = until_ns;
    }
}

int division_find_suspended(struct division *division)
{
    const struct journal *journal = division->source.journal;
    division->suspended = calloc(division->day_count, sizeof *division->suspended);
    if (division->suspended == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->pause_count; i++) {
        const struct journal_pause *pause = &journal->pauses[i];
        add_between(division, pause->may_start_ns, pause->start_ns);
        add_between(division, pause->end_ns, pause->may_end_ns);
    }
    for (uint32_t day = 0; day < division->day_count; day++) {
        if (division->sum[day] > 0)
            division->suspended[division->suspended_count++] =
                (struct partition_share){day, division->sum[day]};
        division->sum[day] = 0;
    }
    return 0;
}

struct partition_shares division_maybe_suspended(const struct division *division)
{
    return (struct partition_shares){division->suspended, division->suspended_count};
}

/* ---- What runs and tasks had ----------------------------------------------------------------- */

/* Of what programs had in a task the least share of the run that leads. */
#define LEADING_SHARE 0.9

static double sum_of(struct partition_shares shares)
{
    double sum = 0;
    for (size_t i = 0; i < shares.count; i++)
        sum += shares.share[i].core_seconds;
    return sum;
}

int division_find_leaders(struct division *division)
{
    const struct job_tasks *tasks = division->source.tasks;
    CLEANUP_FREE double *programs = calloc(tasks->count + 1, sizeof *programs);
    if (programs == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < division->run_count; i++)
        if (division->run[i].task != SIZE_MAX)
            programs[division->run[i].task] += sum_of(division_of_run(division, i));
    for (size_t i = 0; i < tasks->count; i++) {
        const struct job_task *task = &tasks->task[i];
        size_t run = division->own_run[i];
        if (run != SIZE_MAX && task->is_launched &&
            sum_of(division_of_run(division, run)) >= LEADING_SHARE * programs[i])
            division->leading[i] = run;
    }
    return 0;
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
        if (division_followed(division, i) == task)
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
    const struct division_source *source = &division->source;
    const struct job_task *own = &source->tasks->task[task];
    return source->is_excluded || !job_task_follows(own) || own->leader == JOURNAL_NONE
               ? SIZE_MAX
               : job_tasks_find(source->tasks, own->task->step, own->leader, 0);
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
