/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The division of a node's allocation: cases worked out by hand. Times are in seconds after START.
 */
#include <math.h>

#include "submit/facts/partition.h"
#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)
#define START  (UINT64_C(1700000000) * SECOND)
#define NONE   SIZE_MAX

enum { ITEMS_MAX = 128 };

struct job {
    struct partition_input input;
    struct partition_step step[ITEMS_MAX];
    struct partition_task task[ITEMS_MAX];
    struct partition_run run[ITEMS_MAX];
    struct partition_pause pause[ITEMS_MAX];
    uint64_t midnight[ITEMS_MAX];
    uint64_t cores[ITEMS_MAX]; /* of each step */
    struct partition *partition;
};

static uint64_t at(double seconds)
{
    return START + (uint64_t)(int64_t)(seconds * 1e9);
}

/* Of so many CPUs, a core each, for so long. */
static struct job *job_of(uint32_t cpus, double seconds)
{
    struct job *job = calloc(1, sizeof *job);
    assert_non_null(job);
    job->input = (struct partition_input){.cpus = cpus,
                                          .start_ns = at(0),
                                          .end_ns = at(seconds),
                                          .pauses = job->pause,
                                          .midnights = job->midnight,
                                          .steps = job->step,
                                          .tasks = job->task,
                                          .runs = job->run};
    return job;
}

static size_t batch(struct job *job, double end)
{
    size_t i = job->input.step_count++;
    job->step[i] = (struct partition_step){.is_batch = true, .start_ns = at(0), .end_ns = at(end)};
    return i;
}

/* A step whose cores are the bits of `cores`. */
static size_t step(struct job *job, uint64_t cores, double start, double end)
{
    size_t i = job->input.step_count++;
    job->cores[i] = cores;
    job->step[i] = (struct partition_step){
        .cores = &job->cores[i], .core_words = 1, .start_ns = at(start), .end_ns = at(end)};
    return i;
}

static size_t unknown_step(struct job *job, uint32_t cpus, double start, double end)
{
    size_t i = job->input.step_count++;
    job->step[i] = (struct partition_step){.cpus = cpus, .start_ns = at(start), .end_ns = at(end)};
    return i;
}

static size_t task(struct job *job, size_t of, double start, double end)
{
    size_t i = job->input.task_count++;
    job->task[i] = (struct partition_task){
        .step = of, .start_ns = at(start), .end_ns = at(end), .max_ns = at(end)};
    return i;
}

static size_t kind(struct job *job, enum partition_kind what, size_t of, size_t parent,
                   double start, double end)
{
    size_t i = job->input.run_count++;
    job->run[i] = (struct partition_run){.task = of,
                                         .parent = parent,
                                         .kind = what,
                                         .ranks = 1,
                                         .start_ns = at(start),
                                         .min_ns = at(end),
                                         .max_ns = at(end)};
    return i;
}

static size_t program(struct job *job, size_t of, size_t parent, double start, double end)
{
    return kind(job, PARTITION_PROGRAM, of, parent, start, end);
}

static double sum(struct partition_shares shares)
{
    double all = 0;
    for (size_t i = 0; i < shares.count; i++) {
        assert_true(shares.share[i].core_seconds > 0);
        assert_true(i == 0 || shares.share[i - 1].day < shares.share[i].day);
        all += shares.share[i].core_seconds;
    }
    return all;
}

static double on_day(struct partition_shares shares, uint32_t day)
{
    for (size_t i = 0; i < shares.count; i++)
        if (shares.share[i].day == day)
            return shares.share[i].core_seconds;
    return 0;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-6))
        fail_msg("%.9f, expected %.9f", value, expected);
}

/* Whatever the case: all adds up. */
static void divide(struct job *job)
{
    assert_int_equal(partition_make(&job->input, &job->partition), 0);
    double all = sum(partition_idle(job->partition));
    for (size_t i = 0; i < job->input.run_count; i++) {
        all += sum(partition_of_run(job->partition, i));
        assert_true(partition_most_of_run(job->partition, i) >=
                    sum(partition_of_run(job->partition, i)));
    }
    for (size_t i = 0; i < job->input.task_count; i++)
        for (int part = 0; part < PARTITION_PARTS; part++)
            all += sum(partition_of_task(job->partition, i, (enum partition_part)part));
    assert_near(all, sum(partition_allocation(job->partition)));
}

static void assert_run(const struct job *job, size_t run, double expected)
{
    assert_near(sum(partition_of_run(job->partition, run)), expected);
}

static void assert_most(const struct job *job, size_t run, double expected)
{
    assert_near(partition_most_of_run(job->partition, run), expected);
}

static void assert_part(const struct job *job, size_t of, enum partition_part part, double expected)
{
    assert_near(sum(partition_of_task(job->partition, of, part)), expected);
}

static void assert_idle(const struct job *job, double expected)
{
    assert_near(sum(partition_idle(job->partition)), expected);
}

static void assert_allocation(const struct job *job, double expected)
{
    assert_near(sum(partition_allocation(job->partition)), expected);
}

static void end(struct job *job)
{
    partition_free(job->partition);
    free(job);
}

TEST(four_programs_at_once_share_the_cores)
{
    struct job *job = job_of(4, 100);
    size_t script = task(job, batch(job, 100), 0, 100), all[4];
    size_t shell = kind(job, PARTITION_WRAPPER, script, NONE, 0, 100);
    for (int i = 0; i < 4; i++)
        all[i] = program(job, script, shell, 10, i == 3 ? 60 : 50);
    divide(job);
    for (int i = 0; i < 3; i++)
        assert_run(job, all[i], 40);
    assert_run(job, all[3], 80);
    assert_run(job, shell, 0);
    assert_part(job, script, PARTITION_UNSEEN, 200);
    assert_allocation(job, 400);
    end(job);
}

TEST(the_last_of_a_pipeline_has_all_when_the_others_ended)
{
    struct job *job = job_of(6, 30);
    size_t script = task(job, batch(job, 30), 0, 30);
    size_t first = program(job, script, NONE, 0, 10), second = program(job, script, NONE, 0, 20);
    size_t third = program(job, script, NONE, 0, 30);
    divide(job);
    assert_run(job, first, 20);
    assert_run(job, second, 20 + 30);
    assert_run(job, third, 20 + 30 + 60);
    end(job);
}

/* make -j4: make, and below it four shells with a compiler each, two in a row. */
TEST(a_make_has_only_what_its_compilers_leave)
{
    struct job *job = job_of(4, 22);
    size_t script = task(job, batch(job, 22), 0, 22), compilers[8];
    size_t make = program(job, script, NONE, 0, 22);
    for (int i = 0; i < 8; i++) {
        double start = i < 4 ? 1 : 11;
        size_t shell = kind(job, PARTITION_WRAPPER, script, make, start, start + 10);
        compilers[i] = program(job, script, shell, start, start + 10);
    }
    divide(job);
    assert_run(job, make, 4 + 4);
    for (int i = 0; i < 8; i++)
        assert_run(job, compilers[i], 10);
    end(job);
}

TEST(a_child_that_outlives_its_parent_still_hides_those_above)
{
    struct job *job = job_of(1, 50);
    size_t script = task(job, batch(job, 50), 0, 50);
    size_t top = program(job, script, NONE, 0, 50), middle = program(job, script, top, 10, 20);
    size_t low = program(job, script, middle, 15, 30);
    divide(job);
    assert_run(job, top, 10 + 20);
    assert_run(job, middle, 5);
    assert_run(job, low, 15);
    end(job);
}

/* Clocks may be set: the child is there before its parent. */
TEST(a_parent_that_starts_after_its_child_is_hidden_by_it)
{
    struct job *job = job_of(1, 40);
    size_t script = task(job, batch(job, 40), 0, 40);
    size_t top = program(job, script, NONE, 0, 40), middle = program(job, script, top, 20, 35);
    size_t low = program(job, script, middle, 10, 30);
    divide(job);
    assert_run(job, low, 20);
    assert_run(job, middle, 5);
    assert_run(job, top, 10 + 5);
    end(job);
}

/* env nice timeout prog */
TEST(wrappers_have_nothing_and_hide_nothing)
{
    struct job *job = job_of(2, 20);
    size_t of = task(job, step(job, 3, 0, 20), 0, 20);
    size_t env = kind(job, PARTITION_WRAPPER, of, NONE, 0, 1);
    size_t nice = kind(job, PARTITION_WRAPPER, of, env, 1, 2);
    size_t timeout = kind(job, PARTITION_WRAPPER, of, nice, 2, 20);
    size_t prog = program(job, of, timeout, 3, 19);
    divide(job);
    assert_run(job, prog, 32);
    assert_run(job, timeout, 0);
    assert_part(job, of, PARTITION_UNSEEN, 8);

    struct job *other = job_of(2, 20);
    size_t driver = program(other, task(other, step(other, 3, 0, 20), 0, 20), NONE, 0, 20);
    kind(other, PARTITION_WRAPPER, 0, driver, 5, 10);
    divide(other);
    assert_run(other, driver, 40);
    end(job);
    end(other);
}

/* 112 children of a driver were killed after 0.3 s: the driver lived, they may have. */
TEST(killed_children_are_at_most_what_their_task_had)
{
    struct job *job = job_of(2, 100);
    size_t of = task(job, step(job, 3, 0, 100), 0, 100), children[112];
    size_t driver = program(job, of, NONE, 0, 60);
    for (int i = 0; i < 112; i++) {
        children[i] = program(job, of, driver, i / 2.0, i / 2.0);
        job->run[children[i]].max_ns = at(100);
    }
    divide(job);
    assert_run(job, driver, 120);
    for (int i = 0; i < 112; i++) {
        assert_run(job, children[i], 0);
        assert_most(job, children[i], 200 - i);
    }
    assert_part(job, of, PARTITION_UNCERTAIN, 80);
    assert_part(job, of, PARTITION_UNSEEN, 0);
    end(job);
}

TEST(a_run_with_an_unknown_end_is_sure_until_it_was_seen_last)
{
    struct job *job = job_of(4, 100);
    size_t of = task(job, step(job, 15, 0, 100), 0, 100);
    size_t run = program(job, of, NONE, 10, 30);
    job->run[run].max_ns = at(80);
    size_t next = program(job, of, NONE, 50, 60);
    divide(job);
    assert_run(job, run, 80);
    assert_most(job, run, 80 + 200);
    assert_run(job, next, 40);
    assert_most(job, next, 40);
    assert_part(job, of, PARTITION_UNCERTAIN, (50 - 10) * 4);
    assert_part(job, of, PARTITION_UNSEEN, (10 + 20) * 4);
    end(job);
}

/* srun --multi-prog: rank 0 is one leader, rank 1 another, which ranks 2 and 3 follow. */
TEST(each_task_has_its_part_of_the_step)
{
    struct job *job = job_of(8, 10);
    size_t of = step(job, 0xff, 0, 10), tasks[4];
    for (int i = 0; i < 4; i++)
        tasks[i] = task(job, of, 0, 10);
    job->task[tasks[2]].is_follower = job->task[tasks[3]].is_follower = true;
    size_t first = program(job, tasks[0], NONE, 0, 10);
    size_t second = program(job, tasks[1], NONE, 1, 9);
    size_t ignored = program(job, tasks[2], NONE, 0, 10);
    job->run[ignored].min_ns = at(5);
    divide(job);
    assert_run(job, first, 20);
    assert_run(job, second, 16);
    assert_part(job, tasks[1], PARTITION_UNSEEN, 4);
    assert_part(job, tasks[2], PARTITION_FOLLOWER, 20);
    assert_part(job, tasks[3], PARTITION_FOLLOWER, 20);
    assert_run(job, ignored, 0);
    assert_most(job, ignored, 0);
    end(job);
}

TEST(when_rank_0_ends_early_the_others_have_its_cores)
{
    struct job *job = job_of(4, 100);
    size_t of = step(job, 15, 0, 100);
    size_t leader = task(job, of, 0, 10), other = task(job, of, 0, 100);
    job->task[other].is_follower = true;
    size_t run = program(job, leader, NONE, 0, 10);
    divide(job);
    assert_run(job, run, 20);
    assert_part(job, other, PARTITION_FOLLOWER, 20 + 360);
    assert_idle(job, 0);
    end(job);
}

/* A launcher's run stands for the ranks below it on this node. */
TEST(a_run_counts_by_its_ranks)
{
    struct job *job = job_of(4, 10);
    size_t of = task(job, step(job, 15, 0, 10), 0, 10);
    size_t mpi = program(job, of, NONE, 0, 10), single = program(job, of, NONE, 0, 10);
    job->run[mpi].ranks = 3;
    job->run[single].ranks = 0;
    divide(job);
    assert_run(job, mpi, 30);
    assert_run(job, single, 10);
    end(job);
}

/* 4 cores with 2 threads each: a step with 2 of the cores has 4 of the 8 CPUs. */
TEST(a_core_counts_as_all_of_its_threads)
{
    struct job *job = job_of(8, 10);
    job->input.cores = 4;
    size_t run = program(job, task(job, step(job, 3, 0, 10), 0, 10), NONE, 0, 10);
    divide(job);
    assert_run(job, run, 40);
    assert_idle(job, 40);
    end(job);
}

TEST(overlapping_steps_share_their_cores)
{
    struct job *job = job_of(4, 30);
    size_t long_one = program(job, task(job, step(job, 0xf, 0, 30), 0, 30), NONE, 0, 30);
    size_t middle = program(job, task(job, step(job, 0x3, 10, 20), 10, 20), NONE, 10, 20);
    size_t one = program(job, task(job, step(job, 0x1, 15, 25), 15, 25), NONE, 15, 25);
    divide(job);
    /* core 0: 2 holders in 10-15, 3 in 15-20, 2 in 20-25; core 1: 2 in 10-20 */
    double first = 5 / 2.0 + 5 / 3.0 + 5 / 2.0;
    assert_run(job, long_one, 60 + (10 + first + 5) + (10 + 5 + 10));
    assert_run(job, middle, 5 / 2.0 + 5 / 3.0 + 5);
    assert_run(job, one, 5 / 3.0 + 5 / 2.0);
    assert_idle(job, 0);
    end(job);
}

TEST(steps_whose_cores_are_not_known_share_by_their_cpus)
{
    struct job *job = job_of(4, 20);
    size_t alone = program(job, task(job, unknown_step(job, 3, 0, 20), 0, 20), NONE, 0, 20);
    size_t second = program(job, task(job, unknown_step(job, 3, 10, 20), 10, 20), NONE, 10, 20);
    size_t script = task(job, batch(job, 20), 0, 20);
    size_t driver = program(job, script, NONE, 0, 20);
    divide(job);
    assert_run(job, alone, 30 + 20);
    assert_run(job, second, 20);
    assert_run(job, driver, 10);
    end(job);
}

TEST(known_and_unknown_cores_share_what_there_is)
{
    struct job *job = job_of(8, 10);
    job->input.cores = 4;
    size_t known = program(job, task(job, step(job, 0x7, 0, 10), 0, 10), NONE, 0, 10);
    size_t unknown = program(job, task(job, unknown_step(job, 4, 0, 10), 0, 10), NONE, 0, 10);
    divide(job);
    assert_run(job, known, 80 * 0.6);
    assert_run(job, unknown, 80 * 0.4);
    end(job);
}

/* --exclusive: 64 CPUs are allocated, the step has one. */
TEST(cores_without_a_step_are_idle)
{
    struct job *job = job_of(64, 100);
    size_t run = program(job, task(job, step(job, 1, 10, 90), 10, 90), NONE, 10, 80);
    divide(job);
    assert_run(job, run, 70);
    assert_part(job, 0, PARTITION_UNSEEN, 10);
    assert_idle(job, 6400 - 80);
    end(job);
}

TEST(a_step_without_a_living_task_is_idle)
{
    struct job *job = job_of(2, 100);
    size_t of = step(job, 3, 0, 100);
    size_t run = program(job, task(job, of, 20, 50), NONE, 20, 70);
    size_t driver = program(job, task(job, batch(job, 100), 0, 100), NONE, 0, 100);
    divide(job);
    assert_run(job, run, 60);
    assert_run(job, driver, 0);
    assert_idle(job, 140);
    end(job);
}

TEST(what_was_suspended_is_not_allocated)
{
    struct job *job = job_of(2, 100);
    job->pause[0] = (struct partition_pause){at(-5), at(10)};
    job->pause[1] = (struct partition_pause){at(10), at(20)};
    job->pause[2] = (struct partition_pause){at(30), at(60)};
    job->input.pause_count = 3;
    size_t of = task(job, step(job, 3, 5, 100), 5, 100);
    size_t run = program(job, of, NONE, 15, 50), next = program(job, of, NONE, 55, 70);
    divide(job);
    assert_allocation(job, 100);
    assert_run(job, run, 20);
    assert_run(job, next, 20);
    assert_part(job, of, PARTITION_UNSEEN, 60);
    end(job);
}

TEST(the_runtime_of_a_container_hides_what_started_it)
{
    struct job *job = job_of(2, 100);
    size_t of = task(job, step(job, 3, 0, 100), 0, 100);
    size_t python = program(job, of, NONE, 0, 100);
    size_t runtime = kind(job, PARTITION_RUNTIME, of, python, 10, 60);
    size_t inside = program(job, of, runtime, 20, 30);
    size_t beside = program(job, of, python, 50, 60);
    divide(job);
    assert_run(job, python, 20 + 80);
    assert_run(job, runtime, 0);
    assert_most(job, runtime, 0);
    assert_run(job, inside, 20);
    assert_run(job, beside, 10);
    assert_part(job, of, PARTITION_CONTAINER, 20 + 40 + 10);
    end(job);
}

TEST(a_runtime_that_may_live_is_uncertain)
{
    struct job *job = job_of(1, 10);
    size_t of = task(job, step(job, 1, 0, 10), 0, 10);
    size_t runtime = kind(job, PARTITION_RUNTIME, of, NONE, 0, 2);
    job->run[runtime].max_ns = at(6);
    divide(job);
    assert_part(job, of, PARTITION_CONTAINER, 2);
    assert_part(job, of, PARTITION_UNCERTAIN, 4);
    assert_part(job, of, PARTITION_UNSEEN, 4);
    assert_most(job, runtime, 0);
    end(job);
}

TEST(the_batch_step_has_what_steps_leave)
{
    struct job *job = job_of(4, 100);
    size_t script = task(job, batch(job, 100), 0, 100);
    size_t of = task(job, step(job, 0x7, 20, 60), 20, 60);
    size_t run = program(job, of, NONE, 20, 60), beside = program(job, script, NONE, 50, 80);
    size_t srun = kind(job, PARTITION_WRAPPER, script, NONE, 20, 60);
    divide(job);
    assert_run(job, run, 120);
    assert_run(job, beside, 10 + 80);
    assert_run(job, srun, 0);
    assert_part(job, script, PARTITION_UNSEEN, 80 + 80);
    assert_idle(job, 30);
    end(job);
}

/* While steps live: what may live is uncertain, what does not is idle. */
TEST(a_batch_script_that_waits_is_idle)
{
    struct job *job = job_of(2, 40);
    size_t script = task(job, batch(job, 40), 0, 40), run = program(job, script, NONE, 0, 5);
    job->run[run].max_ns = at(20);
    task(job, step(job, 1, 10, 30), 10, 30);
    divide(job);
    assert_run(job, run, 10);
    assert_part(job, script, PARTITION_UNCERTAIN, 10 + 10);
    assert_part(job, script, PARTITION_UNSEEN, 20);
    assert_idle(job, 10);
    assert_part(job, 1, PARTITION_UNSEEN, 20);
    end(job);
}

TEST(after_the_script_nobody_has_its_cores)
{
    struct job *job = job_of(2, 40);
    task(job, batch(job, 10), 0, 50);
    size_t of = task(job, step(job, 1, 0, 40), 0, 40), run = program(job, of, NONE, 0, 40);
    divide(job);
    assert_run(job, run, 40);
    assert_idle(job, 40);
    end(job);
}

TEST(shares_are_cut_at_midnight)
{
    struct job *job = job_of(2, 400);
    const double midnights[] = {-100, 0, 100, 200, 200, 350, 400, 500};
    for (size_t i = 0; i < sizeof midnights / sizeof midnights[0]; i++)
        job->midnight[job->input.midnight_count++] = at(midnights[i]);
    size_t of = task(job, step(job, 3, 50, 390), 50, 390);
    size_t long_one = program(job, of, NONE, 60, 360), early = program(job, of, NONE, 60, 80);
    divide(job);
    struct partition_shares of_long = partition_of_run(job->partition, long_one);
    assert_int_equal(of_long.count, 4);
    assert_near(on_day(of_long, 2), 20 + 40);
    assert_near(on_day(of_long, 3), 200);
    assert_near(on_day(of_long, 4), 0);
    assert_near(on_day(of_long, 5), 300);
    assert_near(on_day(of_long, 6), 20);
    assert_int_equal(partition_of_run(job->partition, early).count, 1);
    assert_near(on_day(partition_of_run(job->partition, early), 2), 20);
    struct partition_shares unseen = partition_of_task(job->partition, of, PARTITION_UNSEEN);
    assert_int_equal(unseen.count, 2);
    assert_near(on_day(unseen, 2), 20);
    assert_near(on_day(unseen, 6), 60);
    assert_near(on_day(partition_idle(job->partition), 2), 100);
    assert_near(on_day(partition_idle(job->partition), 6), 20);
    assert_near(on_day(partition_allocation(job->partition), 5), 300);
    end(job);
}

/* The night of 2026-03-29 in Berlin has 23 hours, that of 2026-10-25 has 25. */
TEST(days_have_the_hours_that_they_have)
{
    enum { HOUR = 3600 };
    struct job *job = job_of(1, (24 + 23 + 25 + 24) * HOUR);
    job->midnight[0] = at(24 * HOUR);
    job->midnight[1] = at((24 + 23) * HOUR);
    job->midnight[2] = at((24 + 23 + 25) * HOUR);
    job->input.midnight_count = 3;
    size_t of = task(job, step(job, 1, 0, 96 * HOUR), 0, 96 * HOUR);
    size_t run = program(job, of, NONE, 0, 96 * HOUR);
    divide(job);
    const double hours[] = {24, 23, 25, 24};
    for (uint32_t day = 0; day < 4; day++)
        assert_near(on_day(partition_of_run(job->partition, run), day), hours[day] * HOUR);
    end(job);
}

/* While the task may live, its step's other tasks are sure of their part only. */
TEST(a_task_without_a_known_end_is_uncertain_after_it_was_seen)
{
    struct job *job = job_of(4, 100);
    size_t of = step(job, 15, 0, 100);
    size_t lost = task(job, of, 0, 40), other = task(job, of, 0, 60);
    job->task[lost].max_ns = at(200);
    size_t run = program(job, lost, NONE, 0, 50), sure = program(job, other, NONE, 0, 60);
    job->run[run].max_ns = at(90);
    divide(job);
    assert_run(job, run, 80);
    assert_most(job, run, 80 + 40 + 120);
    assert_run(job, sure, 120);
    assert_part(job, lost, PARTITION_UNCERTAIN, 40 + 160);
    assert_part(job, lost, PARTITION_UNSEEN, 0);
    end(job);
}

TEST(a_follower_without_a_known_end_is_uncertain)
{
    struct job *job = job_of(1, 100);
    size_t of = task(job, step(job, 1, 0, 100), 20, 50);
    job->task[of].is_follower = true;
    job->task[of].max_ns = at(70);
    divide(job);
    assert_part(job, of, PARTITION_FOLLOWER, 30);
    assert_part(job, of, PARTITION_UNCERTAIN, 20);
    assert_idle(job, 50);
    end(job);
}

TEST(what_is_outside_of_the_allocation_is_cut_off)
{
    struct job *job = job_of(2, 100);
    size_t of = task(job, step(job, 3, -50, 150), -50, 150);
    size_t run = program(job, of, NONE, -20, 30), before = program(job, of, NONE, -20, -10);
    size_t after = program(job, of, NONE, 110, 120), last = program(job, of, NONE, 90, 130);
    job->run[last].max_ns = UINT64_MAX;
    divide(job);
    assert_allocation(job, 200);
    assert_run(job, run, 60);
    assert_run(job, before, 0);
    assert_run(job, after, 0);
    assert_run(job, last, 20);
    assert_part(job, of, PARTITION_UNSEEN, 120);
    end(job);
}

TEST(what_ends_before_it_starts_has_never_lived)
{
    struct job *job = job_of(2, 100);
    size_t lives = task(job, step(job, 3, 0, 100), 0, 100);
    size_t dead = task(job, 0, 50, 20), of_none = task(job, step(job, 3, 80, 20), 0, 100);
    program(job, lives, NONE, 60, 40);
    program(job, dead, NONE, 0, 100);
    program(job, of_none, NONE, 0, 100);
    divide(job);
    for (size_t i = 0; i < 3; i++) {
        assert_run(job, i, 0);
        assert_most(job, i, 0);
    }
    assert_part(job, lives, PARTITION_UNSEEN, 200);
    end(job);

    job = job_of(2, -1);
    program(job, task(job, batch(job, 10), 0, 10), NONE, 0, 10);
    divide(job);
    assert_allocation(job, 0);
    end(job);
}

TEST(a_circle_of_parents_counts_as_none)
{
    struct job *job = job_of(3, 10);
    size_t of = task(job, batch(job, 10), 0, 10);
    program(job, of, 1, 0, 10);
    program(job, of, 0, 0, 10);
    program(job, of, 2, 0, 10);
    size_t child = program(job, of, 1, 5, 10);
    divide(job);
    assert_run(job, 0, 5 + 5);
    assert_run(job, 1, 5);
    assert_run(job, 2, 5 + 5);
    assert_run(job, child, 5);
    end(job);
}

TEST(a_parent_of_another_task_counts_as_none)
{
    struct job *job = job_of(2, 10);
    size_t of = step(job, 3, 0, 10);
    size_t first = program(job, task(job, of, 0, 10), NONE, 0, 10);
    size_t second = program(job, task(job, of, 0, 10), first, 0, 10);
    size_t lost = program(job, NONE, first, 0, 10);
    divide(job);
    assert_run(job, first, 10);
    assert_run(job, second, 10);
    assert_run(job, lost, 0);
    end(job);
}

TEST(a_job_without_anything_is_idle)
{
    struct job *job = job_of(3, 10);
    divide(job);
    assert_idle(job, 30);
    end(job);
    job = job_of(0, 10);
    program(job, task(job, step(job, 3, 0, 10), 0, 10), NONE, 0, 10);
    program(job, task(job, unknown_step(job, 3, 0, 10), 0, 10), NONE, 0, 10);
    program(job, task(job, batch(job, 10), 0, 10), NONE, 0, 10);
    divide(job);
    assert_allocation(job, 0);
    assert_int_equal(partition_allocation(job->partition).count, 0);
    end(job);
}

TEST(wrong_input_is_refused)
{
    struct job *job = job_of(3, 10);
    struct partition *partition = NULL;
    task(job, batch(job, 10), 0, 10);
    program(job, 0, NONE, 0, 10);
    const struct job sound = *job;
    job->task[0].step = 1;
    assert_int_equal(partition_make(&job->input, &partition), -EINVAL);
    *job = sound;
    job->run[0].task = 1;
    assert_int_equal(partition_make(&job->input, &partition), -EINVAL);
    *job = sound;
    job->run[0].parent = 1;
    assert_int_equal(partition_make(&job->input, &partition), -EINVAL);
    *job = sound;
    job->input.cpus = PARTITION_CPUS_MAX + 1;
    assert_int_equal(partition_make(&job->input, &partition), -EINVAL);
    *job = sound;
    job->input.midnight_count = 2;
    job->midnight[0] = 1;
    assert_int_equal(partition_make(&job->input, &partition), -EINVAL);
    *job = sound;
    job->input.pause_count = 2;
    job->pause[0] = (struct partition_pause){at(1), at(3)};
    job->pause[1] = (struct partition_pause){at(2), at(4)};
    assert_int_equal(partition_make(&job->input, &partition), -EINVAL);
    *job = sound;
    assert_null(partition);
    partition_free(NULL);
    end(job);
}
