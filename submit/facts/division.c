/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/division.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "spank/journal.h"
#include "submit/facts/bundle_path.h"
#include "submit/facts/program_name.h"
#include "submit/facts/run_tree.h"

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

static bool is_wrapper(const char *path)
{
    return wrapper_kind(path, strlen(path)) != WRAPPER_NONE ||
           program_is_loader(path, strlen(path));
}

/* Below a shell or an interpreter's script each rank may run another program. A link has another
 * name than its file, and a wrapper of the system is asked for without its directory. */
static bool is_launched(const struct job_task *task, struct capture_bytes exec, bool reads)
{
    char real[PATH_MAX];
    const char *path = task->launched == NULL ? NULL : task->launched->path;
    if (path == NULL || exec.at == NULL || is_wrapper(path) ||
        program_is_version_of(path, exec.at, exec.size))
        return true;
    return reads && program_find_file(task->launched, real) &&
           (is_wrapper(real) ||
            (strlen(real) == exec.size && memcmp(real, exec.at, exec.size) == 0));
}

/* `is_own`: in the task's own process. Below it the kernel's word makes no task one that its leader
 * does not stand for. */
static void note_seen(struct division *division, size_t run, struct job_task *task, bool is_own,
                      bool is_replaced, bool is_kernels)
{
    static const enum job_task_seen seen[] = {[PARTITION_PROGRAM] = JOB_TASK_PROGRAM,
                                              [PARTITION_RUNTIME] = JOB_TASK_RUNTIME,
                                              [PARTITION_WRAPPER] = JOB_TASK_WRAPPER};
    const struct partition_run *made = &division->run[run];
    size_t *own = &division->own_run[made->task];
    if (seen[made->kind] > task->seen && (is_own || !is_kernels))
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
    char room[PATH_MAX];
    exec = bundle_path(exec, room);
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
                 const struct ending *ending, unsigned how)
{
    const struct job_tasks *tasks = division->source.tasks;
    const bool is_left_out = (how & DIVISION_LEFT_OUT) != 0;
    size_t at = division->run_count;
    if (run_parents_add(&division->parents, capture) != 0 || GROW(division->run, at) != 0 ||
        GROW(division->left_out, at) != 0 || GROW(division->passed_over, at) != 0)
        return -ENOMEM;
    division->run_count++;
    division->run[at] = (struct partition_run){.task = SIZE_MAX, .parent = SIZE_MAX};
    division->left_out[at] = NULL;
    division->passed_over[at] = false;
    if (capture == NULL)
        return 0;
    size_t task = job_tasks_find(tasks, capture->step, capture->task, capture->task_pid);
    division->run[at] = make_run(division, task, capture, ending);
    if (task != SIZE_MAX)
        note_seen(division, at, &tasks->task[task], is_own_process(&tasks->task[task], capture),
                  is_replaced(ending), (how & DIVISION_KERNELS) != 0);
    if (task != SIZE_MAX && division->own_run[task] == at)
        tasks->task[task].is_launched =
            is_launched(&tasks->task[task], capture->exec, (how & DIVISION_READS) != 0);
    if (is_left_out)
        division->left_out[at] = keep_path(division, capture->exec);
    return is_left_out && division->left_out[at] == NULL ? -ENOMEM : 0;
}

void division_pass_over(struct division *division)
{
    division->passed_over[division->run_count - 1] = true;
}

/* A process in a container has no ancestor in the task's namespace. */
static int enter_containers(struct division *division)
{
    const struct run_ancestors *of_run = division->parents.of_run;
    size_t *runtime = calloc(division->source.tasks->count + 1, sizeof *runtime);
    if (runtime == NULL)
        return -ENOMEM;
    memset(runtime, 0xff, division->source.tasks->count * sizeof *runtime);
    for (size_t i = 0; i < division->run_count; i++) {
        const struct partition_run *run = &division->run[i];
        size_t *first = run->task == SIZE_MAX ? NULL : &runtime[run->task];
        if (first != NULL && run->kind == PARTITION_RUNTIME && of_run[i].name_space == 0 &&
            (*first == SIZE_MAX || run->start_ns < division->run[*first].start_ns))
            *first = i;
    }
    for (size_t i = 0; i < division->run_count; i++) {
        struct partition_run *run = &division->run[i];
        size_t above = run->task == SIZE_MAX ? SIZE_MAX : runtime[run->task];
        if (run->parent == SIZE_MAX && of_run[i].name_space != 0 && above != SIZE_MAX &&
            division->run[above].start_ns <= run->start_ns &&
            division->run[above].max_ns >= run->start_ns)
            run->parent = above;
    }
    free(runtime);
    return 0;
}

/* ---- The input of partition.h: what the journal tells of steps, tasks and pauses ------------ */

/* What partition_make() reads and nobody needs later. */
struct division_input {
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

static void fill_steps(const struct division *division, struct division_input *input)
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

static void fill_tasks(const struct division *division, struct division_input *input)
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
static void fill_pauses(const struct division *division, struct division_input *input)
{
    const struct journal *journal = division->source.journal;
    for (size_t i = 0; i < journal->pause_count; i++) {
        uint64_t start_ns = journal->pauses[i].may_start_ns, end_ns = journal->pauses[i].may_end_ns;
        if (job_allocation_clip(division->source.allocation, &start_ns, &end_ns))
            input->pause[input->in.pause_count++] = (struct partition_pause){start_ns, end_ns};
    }
    input->in.pauses = input->pause;
}

static int divide_input(struct division *division, struct division_input *input)
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

/* Makes `partition` of the runs and of what the journal tells. Returns 0 or the error of
 * partition_make(). */
static int divide(struct division *division)
{
    struct division_input input = {.step = NULL};
    int error = divide_input(division, &input);
    free(input.step);
    free(input.task);
    free(input.pause);
    return error;
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
    size_t tasks = source->tasks->count;
    if (made == NULL)
        return -ENOMEM;
    made->source = *source;
    made->own_run = new_indexes(tasks);
    made->leading = new_indexes(tasks);
    int error = made->own_run == NULL || made->leading == NULL ? -ENOMEM : division_find_days(made);
    if (error == 0)
        *division = made;
    else
        division_free(made);
    return error;
}

int division_make(struct division *division)
{
    int error = run_parents_find(&division->parents, division->run);
    if (error == 0)
        error = enter_containers(division);
    run_parents_free(&division->parents);
    if (error == 0)
        error = divide(division);
    if (error == 0)
        error = division_find_suspended(division);
    return error == 0 ? division_find_leaders(division) : error;
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
    free(division->leading);
    free(division->midnights);
    free(division->date);
    free(division->suspended);
    free(division->sum);
    free(division->day);
    free(division);
}
