/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What holds for the division of any allocation: drawn ones, against the slow and plain division,
 * and hostile ones.
 */
#include "submit/facts/partition.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/drawn_job.h"
#include "test/unit/fixture/made_random.h"
#include "test/unit/fixture/rounds.h"
#include "test/unit/fixture/slow_partition.h"

enum { MANY = 100000 };

#define SECOND UINT64_C(1000000000)

static uint32_t draw(void *context, uint32_t below)
{
    return (uint32_t)(made_random(context) % below);
}

static struct partition *divide(const struct partition_input *input)
{
    struct partition *partition = NULL;
    assert_int_equal(partition_make(input, &partition), 0);
    return partition;
}

static double sum(struct partition_shares shares)
{
    double all = 0;
    for (size_t i = 0; i < shares.count; i++)
        all += shares.share[i].core_seconds;
    return all;
}

TEST(any_job_is_divided_as_the_plain_division_does)
{
    size_t part[PARTITION_PARTS] = {0}, programs = 0;
    for (uint64_t i = 0; i < (uint64_t)rounds(4000); i++) {
        struct drawn_job job;
        const char *what;
        uint64_t seed = i;
        drawn_job_make(&job, draw, &seed);
        struct partition *partition = divide(&job.input);
        struct slow_partition *slow = slow_partition_make(&job.input);
        assert_non_null(slow);
        if (!slow_partition_is(slow, &job.input, partition, &what))
            fail_msg("job %d: %s", (int)i, what);
        for (size_t run = 0; run < job.input.run_count; run++) {
            assert_true(partition_most_of_run(partition, run) >=
                        sum(partition_of_run(partition, run)));
            programs += sum(partition_of_run(partition, run)) > 0;
        }
        for (size_t item = 0; item < job.input.task_count * PARTITION_PARTS; item++)
            part[item % PARTITION_PARTS] += sum(partition_of_task(partition, item / PARTITION_PARTS,
                                                                  item % PARTITION_PARTS)) > 0;
        slow_partition_free(slow);
        partition_free(partition);
    }
    for (size_t i = 0; i < PARTITION_PARTS; i++)
        assert_true(part[i] > (size_t)rounds(4000) / 50);
    assert_true(programs > (size_t)rounds(4000) / 50);
}

static void assert_near(double one, double other, double of)
{
    double difference = one > other ? one - other : other - one;
    if (!(difference <= 1e-11 * of))
        fail_msg("%.12f and %.12f", one, other);
}

static void assert_same(struct partition_shares one, struct partition_shares other, double of)
{
    assert_int_equal(one.count, other.count);
    for (size_t i = 0; i < one.count; i++) {
        assert_int_equal(one.share[i].day, other.share[i].day);
        assert_near(one.share[i].core_seconds, other.share[i].core_seconds, of);
    }
}

/* place[i]: where i of the one is in the other. */
static void draw_places(size_t *place, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = draw(seed, (uint32_t)i + 1);
        place[i] = place[other];
        place[other] = i;
    }
}

TEST(the_order_of_the_input_does_not_matter)
{
    for (uint64_t i = 0; i < (uint64_t)rounds(4000); i++) {
        struct drawn_job job, other;
        size_t step[DRAWN_STEPS], task[DRAWN_TASKS], run[DRAWN_RUNS];
        uint64_t seed = i;
        drawn_job_make(&job, draw, &seed);
        other = job;
        draw_places(step, job.input.step_count, &seed);
        draw_places(task, job.input.task_count, &seed);
        draw_places(run, job.input.run_count, &seed);
        for (size_t at = 0; at < job.input.step_count; at++)
            other.step[step[at]] = job.step[at];
        for (size_t at = 0; at < job.input.task_count; at++) {
            other.task[task[at]] = job.task[at];
            other.task[task[at]].step = step[job.task[at].step];
        }
        for (size_t at = 0; at < job.input.run_count; at++) {
            struct partition_run *moved = &other.run[run[at]];
            *moved = job.run[at];
            moved->task = moved->task == SIZE_MAX ? SIZE_MAX : task[moved->task];
            moved->parent = moved->parent == SIZE_MAX ? SIZE_MAX : run[moved->parent];
        }
        other.input.steps = other.step;
        other.input.tasks = other.task;
        other.input.runs = other.run;
        struct partition *one = divide(&job.input), *two = divide(&other.input);
        double of = sum(partition_allocation(one));
        for (size_t at = 0; at < job.input.run_count; at++) {
            assert_same(partition_of_run(one, at), partition_of_run(two, run[at]), of);
            assert_near(partition_most_of_run(one, at), partition_most_of_run(two, run[at]), of);
        }
        for (size_t at = 0; at < job.input.task_count; at++)
            for (int part = 0; part < PARTITION_PARTS; part++)
                assert_same(partition_of_task(one, at, (enum partition_part)part),
                            partition_of_task(two, task[at], (enum partition_part)part), of);
        assert_same(partition_idle(one), partition_idle(two), of);
        partition_free(one);
        partition_free(two);
    }
}

TEST(days_add_up_to_the_whole)
{
    for (uint64_t i = 0; i < (uint64_t)rounds(4000); i++) {
        struct drawn_job job;
        uint64_t seed = i;
        drawn_job_make(&job, draw, &seed);
        struct partition *days = divide(&job.input);
        job.input.midnight_count = 0;
        struct partition *whole = divide(&job.input);
        double of = sum(partition_allocation(whole));
        for (size_t at = 0; at < job.input.run_count; at++) {
            assert_near(sum(partition_of_run(days, at)), sum(partition_of_run(whole, at)), of);
            assert_near(partition_most_of_run(days, at), partition_most_of_run(whole, at), of);
        }
        for (size_t at = 0; at < job.input.task_count * PARTITION_PARTS; at++)
            assert_near(sum(partition_of_task(days, at / PARTITION_PARTS, at % PARTITION_PARTS)),
                        sum(partition_of_task(whole, at / PARTITION_PARTS, at % PARTITION_PARTS)),
                        of);
        assert_near(sum(partition_idle(days)), sum(partition_idle(whole)), of);
        partition_free(days);
        partition_free(whole);
    }
}

/* One task on 128 CPUs for a year, and `count` runs. */
struct many {
    struct partition_input input;
    struct partition_step step;
    struct partition_task task;
    struct partition_run *run;
};

static const uint64_t year_ns = 365 * 86400 * SECOND;

static struct many *many_of(size_t count)
{
    struct many *many = calloc(1, sizeof *many);
    assert_non_null(many);
    many->run = calloc(count, sizeof *many->run);
    assert_non_null(many->run);
    many->step = (struct partition_step){.cpus = 128, .end_ns = year_ns};
    many->task = (struct partition_task){.end_ns = year_ns, .max_ns = year_ns};
    many->input = (struct partition_input){.cpus = 128,
                                           .end_ns = year_ns,
                                           .steps = &many->step,
                                           .step_count = 1,
                                           .tasks = &many->task,
                                           .task_count = 1,
                                           .runs = many->run,
                                           .run_count = count};
    for (size_t i = 0; i < count; i++)
        many->run[i] =
            (struct partition_run){.parent = SIZE_MAX, .min_ns = year_ns, .max_ns = year_ns};
    return many;
}

static void many_free(struct many *many)
{
    free(many->run);
    free(many);
}

struct exact_sum {
    uint64_t whole;
    long double rest;
};

static void add_exactly(struct exact_sum *all, struct partition_shares shares)
{
    for (size_t i = 0; i < shares.count; i++) {
        uint64_t whole = (uint64_t)shares.share[i].core_seconds;
        all->whole += whole;
        all->rest += (long double)shares.share[i].core_seconds - whole;
    }
}

/* To a microsecond, in a year. */
static void assert_sum_exact(const struct many *many, const struct partition *partition)
{
    struct exact_sum all = {0, 0};
    add_exactly(&all, partition_idle(partition));
    for (size_t i = 0; i < many->input.run_count; i++)
        add_exactly(&all, partition_of_run(partition, i));
    for (int part = 0; part < PARTITION_PARTS; part++)
        add_exactly(&all, partition_of_task(partition, 0, (enum partition_part)part));
    long double difference = all.rest - (long double)(UINT64_C(128) * 365 * 86400 - all.whole);
    if (difference > 1e-6L || difference < -1e-6L)
        fail_msg("off by %Lg s", difference);
}

TEST(a_chain_of_parents_may_be_deep)
{
    struct many *many = many_of(MANY);
    for (size_t i = 0; i < MANY; i++) {
        many->run[i].parent = i == 0 ? SIZE_MAX : i - 1;
        many->run[i].start_ns = i * SECOND;
        many->run[i].min_ns = many->run[i].max_ns = year_ns - i * SECOND;
    }
    struct partition *partition = divide(&many->input);
    assert_sum_exact(many, partition);
    assert_true(sum(partition_of_run(partition, 0)) == 256);
    assert_true(sum(partition_of_run(partition, MANY / 2)) == 256);
    partition_free(partition);

    for (size_t i = 0; i < MANY; i++)
        many->run[i].min_ns = many->run[i].max_ns = year_ns;
    partition = divide(&many->input);
    assert_sum_exact(many, partition);
    assert_true(sum(partition_of_run(partition, MANY - 1)) == 128.0 * (365 * 86400 - (MANY - 1)));
    partition_free(partition);
    many_free(many);
}

TEST(a_circle_of_parents_may_be_long)
{
    struct many *many = many_of(MANY);
    for (size_t i = 0; i < MANY; i++)
        many->run[i].parent = (i + 1) % MANY;
    struct partition *partition = divide(&many->input);
    assert_sum_exact(many, partition);
    double first = sum(partition_of_run(partition, 0));
    assert_true(first > 0 && first == sum(partition_of_run(partition, MANY - 1)));
    partition_free(partition);
    many_free(many);
}

/* Also with days, ends that are not known and any ranks. */
TEST(a_year_of_random_runs_adds_up_to_a_microsecond)
{
    uint64_t seed = 1, midnight[364];
    struct many *many = many_of(MANY);
    for (size_t i = 0; i < 364; i++)
        midnight[i] = (i + 1) * 86400 * SECOND;
    many->input.midnights = midnight;
    many->input.midnight_count = 364;
    for (size_t i = 0; i < MANY; i++) {
        struct partition_run *run = &many->run[i];
        run->start_ns = made_random(&seed) % year_ns;
        run->min_ns = run->start_ns + made_random(&seed) % (year_ns / 1000);
        run->max_ns = run->min_ns;
        if (draw(&seed, 100) == 0)
            run->max_ns += made_random(&seed) % (year_ns / 1000);
        run->ranks = draw(&seed, 128);
        run->parent = i == 0 || draw(&seed, 5) == 0 ? SIZE_MAX : draw(&seed, (uint32_t)i);
    }
    struct partition *partition = divide(&many->input);
    assert_sum_exact(many, partition);
    partition_free(partition);
    many_free(many);
}

TEST(runs_that_all_live_at_the_same_time_share_equally)
{
    struct many *many = many_of(MANY);
    struct partition *partition = divide(&many->input);
    assert_sum_exact(many, partition);
    for (size_t i = 0; i < MANY; i++)
        assert_near(sum(partition_of_run(partition, i)), 128.0 * 365 * 86400 / MANY,
                    128.0 * 365 * 86400 / MANY);
    partition_free(partition);
    many_free(many);
}

/* The greatest numbers that are taken. */
TEST(the_largest_job_is_divided)
{
    uint64_t cores[PARTITION_CORES_MAX / 64 + 1];
    memset(cores, 0xff, sizeof cores);
    struct many *many = many_of(2);
    many->input.cpus = PARTITION_CPUS_MAX;
    many->input.end_ns = many->step.end_ns = many->task.end_ns = many->task.max_ns = UINT64_MAX;
    many->step.cores = cores;
    many->step.core_words = sizeof cores / sizeof cores[0];
    many->input.cores = 1;
    for (size_t i = 0; i < 2; i++) {
        many->run[i].min_ns = many->run[i].max_ns = UINT64_MAX;
        many->run[i].ranks = UINT32_MAX;
    }
    struct partition *partition = divide(&many->input);
    double all = (double)PARTITION_CPUS_MAX * (double)UINT64_MAX / 1e9;
    assert_near(sum(partition_allocation(partition)), all, all);
    assert_near(sum(partition_of_run(partition, 0)), all / 2, all);
    assert_near(sum(partition_of_run(partition, 1)), all / 2, all);
    partition_free(partition);
    many_free(many);
}
