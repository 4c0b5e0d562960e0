/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each step has a clock of what each of its living tasks had, each task has one of what a rank of
 * its innermost runs had. A clock is read, and goes on at another rate, only where an event
 * concerns it. What a task or run had is the difference of its clock between two readings.
 */
#include "submit/facts/partition.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/cleanup.h"
#include "submit/facts/cpu_ticks.h"
#include "submit/facts/day_shares.h"
#include "submit/facts/partition_events.h"
#include "submit/facts/run_tree.h"
#include "submit/facts/step_cores.h"

/* Members of a set, in no order. */
struct members {
    uint32_t *item;
    uint32_t *place; /* of each member in `item` */
    size_t count;
};

struct step_clock {
    uint32_t tasks;              /* that live */
    cpu_ticks had, waited;       /* by the step, as it was read last */
    cpu_ticks each, each_waited; /* of its living tasks; waited: while job steps lived */
};

struct task_clock {
    bool is_alive, is_in_doubt;
    uint64_t ranks;         /* of its innermost runs */
    size_t runs_in_doubt;   /* that may live */
    cpu_ticks each, waited; /* of its step's clock, as it was read last */
    cpu_ticks each_rank;    /* of its innermost runs */
};

struct run_clock {
    bool is_innermost;
    cpu_ticks each_rank; /* of its task's clock, as it was read last */
    cpu_ticks doubt;     /* of its step's clock, as it began to be in doubt */
};

struct partition {
    size_t run_count, task_count;
    struct day_shares *shares; /* of each run, then of each task by part */
    cpu_ticks *doubt;          /* of each program: what its task had while it may have lived */
};

struct sweep {
    const struct partition_input *input;
    struct partition *partition;
    struct partition_event *event;
    size_t event_count;
    struct step_cores *cores;
    struct run_tree *tree;
    struct step_clock *step;
    struct task_clock *task;
    struct run_clock *run;
    struct members tasks; /* that live */
    struct members runs;  /* that are innermost */
    size_t batch_count;   /* batch steps with a living task */
    uint64_t now_ns;
    int pauses;          /* in which the job is */
    cpu_ticks allocated; /* on this day */
};

static void join(struct members *members, uint32_t item)
{
    members->place[item] = (uint32_t)members->count;
    members->item[members->count++] = item;
}

static void leave(struct members *members, uint32_t item)
{
    uint32_t last = members->item[--members->count];
    members->item[members->place[item]] = last;
    members->place[last] = members->place[item];
}

static size_t owner_of_part(const struct partition *partition, size_t task,
                            enum partition_part part)
{
    return partition->run_count + task * PARTITION_PARTS + part;
}

static void give_part(struct sweep *sweep, size_t task, enum partition_part part, cpu_ticks ticks)
{
    day_shares_add(sweep->partition->shares, owner_of_part(sweep->partition, task, part), ticks);
}

static uint32_t ranks_of(const struct partition_run *run)
{
    return run->ranks > 0 ? run->ranks : 1;
}

static void read_step(struct sweep *sweep, size_t index)
{
    struct step_clock *step = &sweep->step[index];
    cpu_ticks had = step_cores_had(sweep->cores, index), waited = 0;
    if (sweep->input->steps[index].is_batch)
        waited = step_cores_waited(sweep->cores);
    if (step->tasks > 0) {
        step->each += (had - step->had) / step->tasks;
        step->each_waited += (waited - step->waited) / step->tasks;
    }
    step->had = had;
    step->waited = waited;
}

/* Where the task's share goes now; PARTITION_PARTS: to its innermost runs. */
static enum partition_part part_of_share(const struct task_clock *task, bool is_follower)
{
    if (task->is_in_doubt)
        return PARTITION_UNCERTAIN;
    if (is_follower)
        return PARTITION_FOLLOWER;
    if (task->ranks > 0)
        return PARTITION_PARTS;
    return task->runs_in_doubt > 0 ? PARTITION_UNCERTAIN : PARTITION_UNSEEN;
}

static void read_task(struct sweep *sweep, size_t index)
{
    struct task_clock *task = &sweep->task[index];
    const struct partition_task *input = &sweep->input->tasks[index];
    const struct step_clock *step = &sweep->step[input->step];
    if (!task->is_alive)
        return;
    read_step(sweep, input->step);
    cpu_ticks had = step->each - task->each, waited = step->each_waited - task->waited;
    task->each = step->each;
    task->waited = step->each_waited;
    enum partition_part part = part_of_share(task, input->is_follower);
    if (part == PARTITION_PARTS)
        task->each_rank += had / task->ranks;
    else
        give_part(sweep, index, part, part == PARTITION_UNSEEN ? had - waited : had);
}

/* Of an innermost run whose task was read. */
static void read_run(struct sweep *sweep, size_t index)
{
    struct run_clock *run = &sweep->run[index];
    const struct partition_run *input = &sweep->input->runs[index];
    const struct task_clock *task = &sweep->task[input->task];
    cpu_ticks had = (task->each_rank - run->each_rank) * ranks_of(input);
    run->each_rank = task->each_rank;
    if (input->kind == PARTITION_RUNTIME)
        give_part(sweep, input->task, PARTITION_CONTAINER, had);
    else
        day_shares_add(sweep->partition->shares, index, had);
}

static void begin_task(struct sweep *sweep, uint32_t index)
{
    const struct partition_task *input = &sweep->input->tasks[index];
    struct step_clock *step = &sweep->step[input->step];
    struct task_clock *task = &sweep->task[index];
    read_step(sweep, input->step);
    if (step->tasks++ == 0 && sweep->input->steps[input->step].is_batch)
        step_cores_set_batch(sweep->cores, ++sweep->batch_count);
    task->is_alive = true;
    task->each = step->each;
    task->waited = step->each_waited;
    join(&sweep->tasks, index);
}

static void end_task(struct sweep *sweep, uint32_t index)
{
    const struct partition_task *input = &sweep->input->tasks[index];
    read_task(sweep, index);
    sweep->task[index].is_alive = false;
    if (--sweep->step[input->step].tasks == 0 && sweep->input->steps[input->step].is_batch)
        step_cores_set_batch(sweep->cores, --sweep->batch_count);
    leave(&sweep->tasks, index);
}

/* Makes the run one of the innermost ones, or not any more. */
static void set_innermost(struct sweep *sweep, uint32_t index, bool is_innermost)
{
    struct run_clock *run = &sweep->run[index];
    const struct partition_run *input = &sweep->input->runs[index];
    struct task_clock *task = &sweep->task[input->task];
    if (run->is_innermost == is_innermost)
        return;
    read_task(sweep, input->task);
    run->is_innermost = is_innermost;
    if (is_innermost) {
        task->ranks += ranks_of(input);
        run->each_rank = task->each_rank;
        join(&sweep->runs, index);
        return;
    }
    read_run(sweep, index);
    task->ranks -= ranks_of(input);
    leave(&sweep->runs, index);
}

/* Only the nearest living run above can have been innermost without this one, or become it. */
static void set_alive(struct sweep *sweep, uint32_t index, bool is_alive)
{
    run_tree_set(sweep->tree, index, is_alive);
    uint32_t above = run_tree_above(sweep->tree, index);
    set_innermost(sweep, index, is_alive && !run_tree_has_below(sweep->tree, index));
    if (above != RUN_TREE_NONE)
        set_innermost(sweep, above, !is_alive && !run_tree_has_below(sweep->tree, above));
}

static void set_run_in_doubt(struct sweep *sweep, uint32_t index, bool is_in_doubt)
{
    size_t task = sweep->input->runs[index].task;
    read_task(sweep, task);
    read_step(sweep, sweep->input->tasks[task].step);
    cpu_ticks each = sweep->step[sweep->input->tasks[task].step].each;
    if (is_in_doubt) {
        sweep->task[task].runs_in_doubt++;
        sweep->run[index].doubt = each;
    } else {
        sweep->task[task].runs_in_doubt--;
        if (sweep->input->runs[index].kind == PARTITION_PROGRAM)
            sweep->partition->doubt[index] = each - sweep->run[index].doubt;
    }
}

static void end_day(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->tasks.count; i++)
        read_task(sweep, sweep->tasks.item[i]);
    for (size_t i = 0; i < sweep->runs.count; i++)
        read_run(sweep, sweep->runs.item[i]);
    day_shares_next_day(sweep->partition->shares, sweep->allocated);
    sweep->allocated = 0;
}

static void handle(struct sweep *sweep, const struct partition_event *event)
{
    uint32_t index = event->index;
    switch (event->kind) {
    case EVENT_STEP_BEGINS:
        return step_cores_begin(sweep->cores, index);
    case EVENT_STEP_ENDS:
        read_step(sweep, index);
        return step_cores_end(sweep->cores, index);
    case EVENT_TASK_BEGINS:
        return begin_task(sweep, index);
    case EVENT_TASK_IN_DOUBT:
        read_task(sweep, index);
        sweep->task[index].is_in_doubt = true;
        return;
    case EVENT_TASK_ENDS:
        return end_task(sweep, index);
    case EVENT_RUN_BEGINS:
    case EVENT_RUN_IS_OVER:
        return set_alive(sweep, index, event->kind == EVENT_RUN_BEGINS);
    case EVENT_RUN_IN_DOUBT:
    case EVENT_RUN_ENDS:
        return set_run_in_doubt(sweep, index, event->kind == EVENT_RUN_IN_DOUBT);
    case EVENT_PAUSE_BEGINS:
        sweep->pauses++;
        return;
    case EVENT_PAUSE_ENDS:
        sweep->pauses--;
        return;
    case EVENT_MIDNIGHT:
        return end_day(sweep);
    }
}

static void advance(struct sweep *sweep, uint64_t time_ns)
{
    uint64_t ns = time_ns - sweep->now_ns;
    sweep->now_ns = time_ns;
    if (ns == 0 || sweep->pauses > 0)
        return;
    step_cores_advance(sweep->cores, ns);
    sweep->allocated += ((cpu_ticks)ns * sweep->input->cpus) << CPU_TICKS_BITS;
}

/* Wrappers and followers' runs are in the tree, and never live. */
static int make_tree(struct sweep *sweep)
{
    const struct partition_run *runs = sweep->input->runs;
    CLEANUP_FREE uint32_t *parents = calloc(sweep->input->run_count + 1, sizeof *parents);
    if (parents == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < sweep->input->run_count; i++) {
        size_t parent = runs[i].parent;
        bool is_none = parent == SIZE_MAX || runs[parent].task != runs[i].task;
        parents[i] = is_none ? RUN_TREE_NONE : (uint32_t)parent;
    }
    return run_tree_make(parents, sweep->input->run_count, &sweep->tree);
}

static int make_members(struct members *members, size_t count)
{
    members->item = calloc(count + 1, sizeof *members->item);
    members->place = calloc(count + 1, sizeof *members->place);
    return members->item == NULL || members->place == NULL ? -ENOMEM : 0;
}

static int make_sweep(struct sweep *sweep)
{
    const struct partition_input *input = sweep->input;
    sweep->now_ns = input->start_ns;
    sweep->step = calloc(input->step_count + 1, sizeof *sweep->step);
    sweep->task = calloc(input->task_count + 1, sizeof *sweep->task);
    sweep->run = calloc(input->run_count + 1, sizeof *sweep->run);
    int error = sweep->step == NULL || sweep->task == NULL || sweep->run == NULL ? -ENOMEM : 0;
    if (error == 0)
        error = make_members(&sweep->tasks, input->task_count);
    if (error == 0)
        error = make_members(&sweep->runs, input->run_count);
    if (error == 0)
        error = step_cores_make(input, &sweep->cores);
    if (error == 0)
        error = make_tree(sweep);
    if (error == 0)
        error = partition_events_make(input, &sweep->event, &sweep->event_count);
    return error;
}

static void free_sweep(struct sweep *sweep)
{
    free(sweep->event);
    free(sweep->step);
    free(sweep->task);
    free(sweep->run);
    free(sweep->tasks.item);
    free(sweep->tasks.place);
    free(sweep->runs.item);
    free(sweep->runs.place);
    step_cores_free(sweep->cores);
    run_tree_free(sweep->tree);
}

static int sweep_through(const struct partition_input *input, struct partition *partition)
{
    struct sweep sweep = {.input = input, .partition = partition};
    int error = make_sweep(&sweep);
    if (error == 0) {
        for (size_t i = 0; i < sweep.event_count; i++) {
            advance(&sweep, sweep.event[i].time_ns);
            handle(&sweep, &sweep.event[i]);
        }
        advance(&sweep, input->end_ns > input->start_ns ? input->end_ns : input->start_ns);
        error = day_shares_end(partition->shares, sweep.allocated);
    }
    free_sweep(&sweep);
    return error;
}

static bool is_sound(const struct partition_input *input)
{
    if (input->cpus > PARTITION_CPUS_MAX || input->step_count > PARTITION_COUNT_MAX ||
        input->task_count > PARTITION_COUNT_MAX || input->run_count > PARTITION_COUNT_MAX)
        return false;
    for (size_t i = 0; i < input->pause_count; i++)
        if (input->pauses[i].start_ns > input->pauses[i].end_ns ||
            (i > 0 && input->pauses[i].start_ns < input->pauses[i - 1].end_ns))
            return false;
    for (size_t i = 1; i < input->midnight_count; i++)
        if (input->midnights[i] < input->midnights[i - 1])
            return false;
    for (size_t i = 0; i < input->task_count; i++)
        if (input->tasks[i].step >= input->step_count)
            return false;
    for (size_t i = 0; i < input->run_count; i++) {
        const struct partition_run *run = &input->runs[i];
        if ((run->task != SIZE_MAX && run->task >= input->task_count) ||
            (run->parent != SIZE_MAX && run->parent >= input->run_count))
            return false;
    }
    return true;
}

int partition_make(const struct partition_input *input, struct partition **partition)
{
    if (!is_sound(input))
        return -EINVAL;
    struct partition *made = calloc(1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    made->run_count = input->run_count;
    made->task_count = input->task_count;
    made->doubt = calloc(input->run_count + 1, sizeof *made->doubt);
    int error = made->doubt == NULL ? -ENOMEM : 0;
    uint32_t day = 0;
    while (day < input->midnight_count && input->midnights[day] <= input->start_ns)
        day++;
    if (error == 0)
        error = day_shares_make(input->run_count + input->task_count * PARTITION_PARTS, day,
                                &made->shares);
    if (error == 0)
        error = sweep_through(input, made);
    if (error != 0)
        partition_free(made);
    else
        *partition = made;
    return error;
}

struct partition_shares partition_of_run(const struct partition *partition, size_t run)
{
    return day_shares_of(partition->shares, run);
}

double partition_most_of_run(const struct partition *partition, size_t run)
{
    struct partition_shares sure = partition_of_run(partition, run);
    double most = cpu_ticks_seconds(partition->doubt[run]);
    for (size_t i = 0; i < sure.count; i++)
        most += sure.share[i].core_seconds;
    return most;
}

struct partition_shares partition_of_task(const struct partition *partition, size_t task,
                                          enum partition_part part)
{
    return day_shares_of(partition->shares, owner_of_part(partition, task, part));
}

struct partition_shares partition_idle(const struct partition *partition)
{
    return day_shares_idle(partition->shares);
}

struct partition_shares partition_allocation(const struct partition *partition)
{
    return day_shares_allocated(partition->shares);
}

void partition_free(struct partition *partition)
{
    if (partition == NULL)
        return;
    day_shares_free(partition->shares);
    free(partition->doubt);
    free(partition);
}
