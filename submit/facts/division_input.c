/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of partition.h: what the journal tells of steps, tasks and pauses. */
#include <errno.h>
#include <stdlib.h>

#include "spank/journal.h"
#include "submit/facts/division_parts.h"

/* What partition_make() reads and nobody needs later. */
struct input {
    struct partition_input in;
    struct partition_step *step;
    struct partition_task *task;
    struct partition_pause *pause;
};

/* Where its cores are not known. */
static uint32_t cpus_of_step(const struct journal *journal, const struct journal_step *step)
{
    uint64_t tasks = step->local_tasks, each = step->cpus_per_task > 0 ? step->cpus_per_task : 1;
    if (tasks == 0)
        tasks = step->nodes > 1 ? (step->tasks + step->nodes - 1) / step->nodes : step->tasks;
    uint64_t cpus = (tasks == 0 ? 1 : tasks) * each;
    return journal->node_cpus > 0 && cpus > journal->node_cpus ? journal->node_cpus
                                                               : (uint32_t)cpus;
}

static void fill_steps(const struct division *division, struct input *input)
{
    const struct journal *journal = division->source.journal;
    for (size_t i = 0; i < journal->step_count; i++) {
        const struct journal_step *step = &journal->steps[i];
        bool is_batch = step->step == JOURNAL_STEP_BATCH || step->step == JOURNAL_STEP_INTERACTIVE;
        /* a second line of a step holds nothing, nor does the extern step */
        bool is_none =
            step->step == JOURNAL_STEP_EXTERN || journal_find_step(journal, step->step) != step;
        uint64_t end_ns = step->end_ns != 0 ? step->end_ns : division->source.allocation->end_ns;
        input->step[i] = (struct partition_step){.is_batch = is_batch,
                                                 .cpus = cpus_of_step(journal, step),
                                                 .cores = step->cores.words,
                                                 .core_words = step->cores.word_count,
                                                 .start_ns = step->start_ns,
                                                 .end_ns = is_none ? step->start_ns : end_ns};
    }
    input->in.steps = input->step;
    input->in.step_count = journal->step_count;
}

static void fill_tasks(const struct division *division, struct input *input)
{
    const struct division_source *source = &division->source;
    for (size_t i = 0; i < source->tasks->count; i++) {
        const struct job_task *task = &source->tasks->task[i];
        bool is_known = task->task->end_ns != 0;
        uint64_t last_ns =
            task->step->end_ns != 0 ? task->step->end_ns : source->allocation->end_ns;
        uint64_t end_ns = is_known ? task->task->end_ns : task->alive_ns;
        /* A step holds its cores while what its tasks have left behind lives. */
        if (end_ns < task->alive_ns)
            end_ns = task->alive_ns < last_ns ? task->alive_ns : last_ns;
        input->task[i] =
            (struct partition_task){.step = (size_t)(task->step - source->journal->steps),
                                    .is_follower = !source->is_excluded && job_task_follows(task),
                                    .start_ns = task->task->start_ns,
                                    .end_ns = end_ns,
                                    .max_ns = is_known ? end_ns : last_ns};
        if (input->task[i].max_ns < input->task[i].end_ns)
            input->task[i].max_ns = input->task[i].end_ns;
    }
    input->in.tasks = input->task;
    input->in.task_count = source->tasks->count;
}

/* The time in which it may have been suspended is taken out, too. */
static void fill_pauses(const struct division *division, struct input *input)
{
    const struct journal *journal = division->source.journal;
    for (size_t i = 0; i < journal->pause_count; i++) {
        uint64_t start_ns = journal->pauses[i].may_start_ns, end_ns = journal->pauses[i].may_end_ns;
        if (job_allocation_clip(division->source.allocation, &start_ns, &end_ns))
            input->pause[input->in.pause_count++] = (struct partition_pause){start_ns, end_ns};
    }
    input->in.pauses = input->pause;
}

static int divide_input(struct division *division, struct input *input)
{
    const struct division_source *source = &division->source;
    const struct journal *journal = source->journal;
    input->in = (struct partition_input){.cpus = source->allocation->cpus,
                                         .cores = journal->cores.count,
                                         .start_ns = source->allocation->start_ns,
                                         .end_ns = source->allocation->end_ns,
                                         .midnights = division->midnights,
                                         .midnight_count = division->day_count - 1,
                                         .runs = division->run,
                                         .run_count = division->run_count};
    input->step = calloc(journal->step_count + 1, sizeof *input->step);
    input->task = calloc(source->tasks->count + 1, sizeof *input->task);
    input->pause = calloc(journal->pause_count + 1, sizeof *input->pause);
    if (input->step == NULL || input->task == NULL || input->pause == NULL)
        return -ENOMEM;
    fill_steps(division, input);
    fill_tasks(division, input);
    fill_pauses(division, input);
    return partition_make(&input->in, &division->partition);
}

int division_divide(struct division *division)
{
    struct input input = {.step = NULL};
    int error = divide_input(division, &input);
    free(input.step);
    free(input.task);
    free(input.pause);
    return error;
}
