/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/division.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/days.h"
#include "conf/base/grow.h"
#include "spank/journal.h"
#include "submit/facts/program_name.h"
#include "submit/facts/run_parents.h"
#include "submit/facts/wrapper.h"

/* Of what programs had in a task the least share of the run that leads. */
#define LEADING_SHARE 0.9

struct division {
    struct division_source source;
    struct partition_run *run; /* owned; of the succession */
    const char **left_out;     /* owned; of each run the path in `paths`; NULL: it is kept */
    bool *passed_over;         /* owned; of each run */
    size_t run_count;
    void *paths; /* owned; a tree (tsearch(3)) of owned texts, each once */
    struct run_parents parents;
    size_t *own_run;  /* owned; of each task the last program of its own process; SIZE_MAX: none */
    size_t *followed; /* owned; see division_followed() */
    size_t *leading;  /* owned; see division_leading() */
    uint64_t *midnights; /* owned */
    size_t day_count;
    struct division_date {
        char text[DAYS_TEXT_SIZE];
    } * date;                          /* owned; of each day */
    struct partition_share *suspended; /* owned; see division_maybe_suspended() */
    size_t suspended_count;
    double *sum;                /* owned; by day, of what is asked for */
    struct allocation_day *day; /* owned; the same without zeros */
    struct partition *partition;
};

/* ---- Runs ------------------------------------------------------------------------------------ */

static enum partition_kind kind_of(struct capture_bytes exec)
{
    if (exec.at == NULL)
        return PARTITION_PROGRAM;
    if (program_is_runtime(exec.at, exec.size))
        return PARTITION_RUNTIME;
    bool is_wrapper = wrapper_kind(exec.at, exec.size) != WRAPPER_NONE ||
                      program_is_shell(exec.at, exec.size) ||
                      program_is_launcher(exec.at, exec.size);
    return is_wrapper ? PARTITION_WRAPPER : PARTITION_PROGRAM;
}

/* Of a program whose ranks are not Slurm's tasks, as mpirun starts them, one run stands for those
 * on the node. */
static uint32_t ranks_of(const struct division *division, const struct job_task *task,
                         const struct capture *capture)
{
    uint32_t tasks = task->step->tasks > 0 ? task->step->tasks : 1;
    uint32_t nodes = division->source.journal->nodes > 0 ? division->source.journal->nodes : 1;
    return capture->size > tasks ? (capture->size - 1) / nodes + 1 : 1;
}

static bool is_own_process(const struct job_task *task, const struct capture *capture)
{
    return !capture->first && capture->name_space == 0 && capture->pid == task->task->pid &&
           capture->start_ticks == task->task->ticks;
}

/* `is_own`: in the task's own process. */
/* Below a shell or an interpreter's script each rank may run another program. */
static bool is_launched(const struct job_task *task, struct capture_bytes exec)
{
    const char *path = task->launched == NULL ? NULL : task->launched->path;
    return path == NULL || wrapper_kind(path, strlen(path)) != WRAPPER_NONE || exec.at == NULL ||
           program_is_version_of(path, exec.at, exec.size);
}

static void note_seen(struct division *division, size_t run, struct job_task *task, bool is_own,
                      bool is_replaced)
{
    static const enum job_task_seen seen[] = {[PARTITION_PROGRAM] = JOB_TASK_PROGRAM,
                                              [PARTITION_RUNTIME] = JOB_TASK_RUNTIME,
                                              [PARTITION_WRAPPER] = JOB_TASK_WRAPPER};
    const struct partition_run *made = &division->run[run];
    size_t *own = &division->own_run[made->task];
    if (seen[made->kind] > task->seen)
        task->seen = seen[made->kind];
    if (made->min_ns > task->alive_ns)
        task->alive_ns = made->min_ns;
    if (!is_own || made->kind != PARTITION_PROGRAM)
        return;
    if (task->program_ns == 0 || made->start_ns < task->program_ns)
        task->program_ns = made->start_ns;
    if (*own != SIZE_MAX && division->run[*own].start_ns > made->start_ns)
        return;
    task->is_program = !is_replaced;
    *own = run;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* The path as a text that stays; NULL when out of memory. */
static const char *keep_path(struct division *division, struct capture_bytes exec)
{
    char *path = strndup(exec.at == NULL ? "" : exec.at, exec.size);
    char **found = path == NULL ? NULL : tsearch(path, &division->paths, compare_texts);
    const char *kept = found == NULL ? NULL : *found;
    if (kept != path)
        free(path);
    return kept;
}

static bool is_replaced(const struct ending *ending)
{
    return strcmp(ending->source, "exec") == 0 || strcmp(ending->source, "task_end") == 0;
}

static struct partition_run make_run(const struct division *division, size_t task,
                                     const struct capture *capture, const struct ending *ending)
{
    struct partition_run run = {.task = task,
                                .parent = SIZE_MAX,
                                .kind = kind_of(capture->exec),
                                .ranks = 1,
                                .start_ns = capture->start_ns,
                                .min_ns = ending->is_measured ? ending->end_ns : ending->min_ns,
                                .max_ns = ending->is_measured ? ending->end_ns : ending->max_ns};
    /* what a runtime becomes is in its container, too */
    if (run.kind == PARTITION_RUNTIME && is_replaced(ending))
        run.min_ns = run.max_ns;
    if (task != SIZE_MAX)
        run.ranks = ranks_of(division, &division->source.tasks->task[task], capture);
    return run;
}

int division_add(struct division *division, const struct capture *capture,
                 const struct ending *ending, bool is_left_out)
{
    const struct job_tasks *tasks = division->source.tasks;
    size_t at = division->run_count;
    if (run_parents_add(&division->parents, capture) != 0)
        return -ENOMEM;
    division->run_count++;
    division->run[at] = (struct partition_run){.task = SIZE_MAX, .parent = SIZE_MAX};
    if (capture == NULL)
        return 0;
    size_t task = job_tasks_find(tasks, capture->step, capture->task, capture->task_pid);
    division->run[at] = make_run(division, task, capture, ending);
    if (task != SIZE_MAX)
        note_seen(division, at, &tasks->task[task], is_own_process(&tasks->task[task], capture),
                  is_replaced(ending));
    if (task != SIZE_MAX && division->own_run[task] == at)
        tasks->task[task].is_launched = is_launched(&tasks->task[task], capture->exec);
    if (is_left_out)
        division->left_out[at] = keep_path(division, capture->exec);
    return is_left_out && division->left_out[at] == NULL ? -ENOMEM : 0;
}

void division_pass_over(struct division *division)
{
    division->passed_over[division->run_count - 1] = true;
}

/* ---- Input ----------------------------------------------------------------------------------- */

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

static int divide(struct division *division, struct input *input)
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

/* A process in a container has no ancestor in the task's namespace. */
static int enter_containers(struct division *division)
{
    const struct succession_entry *entry = division->source.succession->entry;
    size_t *runtime = calloc(division->source.tasks->count + 1, sizeof *runtime);
    if (runtime == NULL)
        return -ENOMEM;
    memset(runtime, 0xff, division->source.tasks->count * sizeof *runtime);
    for (size_t i = 0; i < division->run_count; i++) {
        const struct partition_run *run = &division->run[i];
        size_t *first = run->task == SIZE_MAX ? NULL : &runtime[run->task];
        if (first != NULL && run->kind == PARTITION_RUNTIME && entry[i].name_space == 0 &&
            (*first == SIZE_MAX || run->start_ns < division->run[*first].start_ns))
            *first = i;
    }
    for (size_t i = 0; i < division->run_count; i++) {
        struct partition_run *run = &division->run[i];
        size_t above = run->task == SIZE_MAX ? SIZE_MAX : runtime[run->task];
        if (run->parent == SIZE_MAX && entry[i].name_space != 0 && above != SIZE_MAX &&
            division->run[above].start_ns <= run->start_ns &&
            division->run[above].max_ns >= run->start_ns)
            run->parent = above;
    }
    free(runtime);
    return 0;
}

/* ---- Leaders --------------------------------------------------------------------------------- */

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

/* ---- Days ------------------------------------------------------------------------------------ */

static int find_days(struct division *division)
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

static int find_suspended(struct division *division)
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

/* ---- Answers --------------------------------------------------------------------------------- */

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

/* ---- The whole ------------------------------------------------------------------------------- */

static size_t *new_indexes(size_t count)
{
    size_t *made = malloc((count + 1) * sizeof *made);
    if (made != NULL)
        memset(made, 0xff, (count + 1) * sizeof *made);
    return made;
}

int division_new(const struct division_source *source, struct division **division)
{
    struct division *made = calloc(1, sizeof *made);
    size_t runs = source->succession->count, tasks = source->tasks->count;
    if (made == NULL)
        return -ENOMEM;
    made->source = *source;
    made->run = calloc(runs + 1, sizeof *made->run);
    made->left_out = calloc(runs + 1, sizeof *made->left_out);
    made->passed_over = calloc(runs + 1, sizeof *made->passed_over);
    made->own_run = new_indexes(tasks);
    made->followed = new_indexes(tasks);
    made->leading = new_indexes(tasks);
    int error = made->run == NULL || made->left_out == NULL || made->passed_over == NULL ||
                        made->own_run == NULL || made->followed == NULL || made->leading == NULL
                    ? -ENOMEM
                    : find_days(made);
    if (error == 0)
        *division = made;
    else
        division_free(made);
    return error;
}

int division_make(struct division *division)
{
    struct input input = {.step = NULL};
    int error = run_parents_find(&division->parents, division->source.succession, division->run);
    run_parents_free(&division->parents);
    if (error == 0)
        error = enter_containers(division);
    if (error == 0)
        error = divide(division, &input);
    free(input.step);
    free(input.task);
    free(input.pause);
    if (error == 0)
        error = find_suspended(division);
    if (error != 0)
        return error;
    find_followed(division);
    return find_leading(division);
}

void division_free(struct division *division)
{
    if (division == NULL)
        return;
    partition_free(division->partition);
    run_parents_free(&division->parents);
    tdestroy(division->paths, free);
    free(division->run);
    free(division->left_out);
    free(division->passed_over);
    free(division->own_run);
    free(division->followed);
    free(division->leading);
    free(division->midnights);
    free(division->date);
    free(division->suspended);
    free(division->sum);
    free(division->day);
    free(division);
}
