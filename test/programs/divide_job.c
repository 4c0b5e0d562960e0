/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long partition_make() takes for a made job, for benchmarks:
 *
 *   divide_job SHAPE COUNT ROUNDS
 *
 * Prints a line for each round: the seconds of processor time of the division, and those of what it
 * cannot do without: qsort() of the starts and ends of the job's steps, tasks and runs alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "submit/facts/partition.h"
#include "test/unit/fixture/made_random.h"

enum { CORES = 1024, STEPS_OF_CORES = 64, WORDS = 2, MIDNIGHTS = 364 };

#define SECOND UINT64_C(1000000000)
#define YEAR   (365 * 86400 * SECOND)

struct job {
    struct partition_input input;
    struct partition_step *step;
    struct partition_task *task;
    struct partition_run *run;
    uint64_t midnight[MIDNIGHTS];
    uint64_t cores[CORES / 64 * STEPS_OF_CORES];
    uint64_t seed;
};

typedef void job_shape(struct job *job, size_t count);

static void make_steps(struct job *job, size_t count, size_t words, uint64_t steps_ns)
{
    job->input.step_count = job->input.task_count = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = YEAR / count * i, end = start + steps_ns < YEAR ? start + steps_ns : YEAR;
        job->step[i] =
            (struct partition_step){.cores = &job->cores[i % STEPS_OF_CORES * (CORES / 64)],
                                    .core_words = words,
                                    .start_ns = start,
                                    .end_ns = end};
        job->task[i] =
            (struct partition_task){.step = i, .start_ns = start, .end_ns = end, .max_ns = end};
    }
}

static void set_run(struct partition_run *run, size_t task, size_t parent, uint64_t start,
                    uint64_t end)
{
    *run = (struct partition_run){.task = task,
                                  .parent = parent,
                                  .ranks = 1,
                                  .start_ns = start,
                                  .min_ns = end,
                                  .max_ns = end};
}

static void sequence(struct job *job, size_t count)
{
    make_steps(job, 1, WORDS, YEAR);
    for (size_t i = 0; i < count; i++)
        set_run(&job->run[i], 0, SIZE_MAX, YEAR / count * i, YEAR / count * (i + 1));
}

/* Each lives within its parent, any one before it. */
static void tree(struct job *job, size_t count)
{
    make_steps(job, 1, WORDS, YEAR);
    set_run(&job->run[0], 0, SIZE_MAX, 0, YEAR);
    for (size_t i = 1; i < count; i++) {
        size_t above = made_random(&job->seed) % i;
        const struct partition_run *parent = &job->run[above];
        uint64_t lives = parent->min_ns - parent->start_ns;
        uint64_t start = parent->start_ns + made_random(&job->seed) % (lives + 1);
        set_run(&job->run[i], 0, above, start,
                start + made_random(&job->seed) % (parent->min_ns - start + 1));
    }
}

static void chain(struct job *job, size_t count)
{
    make_steps(job, 1, WORDS, YEAR);
    for (size_t i = 0; i < count; i++)
        set_run(&job->run[i], 0, i == 0 ? SIZE_MAX : i - 1, SECOND * i, YEAR - SECOND * i);
}

static void concurrent(struct job *job, size_t count)
{
    make_steps(job, 1, WORDS, YEAR);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = made_random(&job->seed) % YEAR;
        set_run(&job->run[i], 0, SIZE_MAX, start, start + YEAR / 10);
    }
}

/* 10^4 at once, on each day of a year. */
static void concurrent_days(struct job *job, size_t count)
{
    concurrent(job, count);
    job->input.midnights = job->midnight;
    job->input.midnight_count = MIDNIGHTS;
    for (size_t i = 0; i < MIDNIGHTS; i++)
        job->midnight[i] = (i + 1) * 86400 * SECOND;
}

/* One run in each. */
static void steps(struct job *job, size_t count)
{
    make_steps(job, count, WORDS, YEAR / count);
    for (size_t i = 0; i < count; i++)
        set_run(&job->run[i], i, SIZE_MAX, job->step[i].start_ns, job->step[i].end_ns);
}

/* Ten runs in each step; half of the steps live at any time. */
static void overlap_on(struct job *job, size_t count, size_t words)
{
    make_steps(job, count / 10, words, YEAR / 2);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = job->step[i / 10].start_ns + made_random(&job->seed) % (YEAR / 2);
        set_run(&job->run[i], i / 10, SIZE_MAX, start, start + YEAR / 20);
    }
}

static void overlap(struct job *job, size_t count)
{
    overlap_on(job, count, WORDS);
}

static void overlap_1024_cores(struct job *job, size_t count)
{
    job->input.cpus = CORES;
    overlap_on(job, count, CORES / 64);
}

/* The worst case: no two cores are held by the same steps. */
static void overlap_any_cores(struct job *job, size_t count)
{
    for (size_t i = 0; i < sizeof job->cores / sizeof job->cores[0]; i++)
        job->cores[i] = made_random(&job->seed);
    overlap_1024_cores(job, count);
}

static const struct {
    const char *name;
    job_shape *make;
} shapes[] = {
    {"sequence", sequence},
    {"tree", tree},
    {"chain", chain},
    {"concurrent", concurrent},
    {"concurrent-days", concurrent_days},
    {"steps", steps},
    {"overlap", overlap},
    {"overlap-1024-cores", overlap_1024_cores},
    {"overlap-any-cores", overlap_any_cores},
};

static int compare_times(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds_of_sorting(const struct partition_input *input)
{
    size_t n = 0;
    double start = now();
    uint64_t *times =
        calloc(2 * (input->step_count + input->task_count + input->run_count), sizeof *times);
    if (times == NULL)
        abort();
    for (size_t i = 0; i < input->step_count; i++) {
        times[n++] = input->steps[i].start_ns;
        times[n++] = input->steps[i].end_ns;
    }
    for (size_t i = 0; i < input->task_count; i++) {
        times[n++] = input->tasks[i].start_ns;
        times[n++] = input->tasks[i].end_ns;
    }
    for (size_t i = 0; i < input->run_count; i++) {
        times[n++] = input->runs[i].start_ns;
        times[n++] = input->runs[i].min_ns;
    }
    qsort(times, n, sizeof *times, compare_times);
    volatile uint64_t last = times[n - 1];
    (void)last;
    free(times);
    return now() - start;
}

static double seconds_of_dividing(const struct partition_input *input)
{
    struct partition *partition = NULL;
    double start = now();
    if (partition_make(input, &partition) != 0)
        abort();
    partition_free(partition);
    return now() - start;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    size_t count = strtoul(argv[2], NULL, 10), rounds = strtoul(argv[3], NULL, 10), shape = 0;
    while (shape < sizeof shapes / sizeof shapes[0] && strcmp(shapes[shape].name, argv[1]) != 0)
        shape++;
    static struct job job;
    job.step = calloc(count + 1, sizeof *job.step);
    job.task = calloc(count + 1, sizeof *job.task);
    job.run = calloc(count + 1, sizeof *job.run);
    memset(job.cores, 0xff, sizeof job.cores);
    if (shape == sizeof shapes / sizeof shapes[0] || count < 10 || job.step == NULL ||
        job.task == NULL || job.run == NULL)
        return 2;
    job.input = (struct partition_input){.cpus = 64 * WORDS,
                                         .end_ns = YEAR,
                                         .steps = job.step,
                                         .tasks = job.task,
                                         .runs = job.run,
                                         .run_count = count};
    shapes[shape].make(&job, count);
    for (size_t i = 0; i < rounds; i++) {
        double divided = seconds_of_dividing(&job.input);
        printf("%.6f %.6f\n", divided, seconds_of_sorting(&job.input));
    }
    free(job.step);
    free(job.task);
    free(job.run);
    return 0;
}
