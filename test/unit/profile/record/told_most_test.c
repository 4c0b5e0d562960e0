/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a profile tells of its ranks is bounded by what root knows of the step.
 */
#include "contrib/profile/record/profile_told.h"

#include "preload/profile/profile_file.h"
#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

/* A step of 100 s on a node of which the job has two processors, and a minute for the clocks. Its
 * file has room for 20 threads that call. */
static struct told_most most_of(int64_t clock_step_ns)
{
    const struct journal journal = {
        .node_cpus = 2, .is_clock_known = true, .clock_step_ns = clock_step_ns};
    const struct journal_step step = {.start_ns = 1000 * SECOND};
    return told_most_of(&journal, &step, 10 * PROFILE_PROCESS_BYTES, 1100 * SECOND);
}

static bool is_cut(const struct told_most *most, uint64_t ranks, uint64_t run_ns, uint64_t calls)
{
    struct profile_told told = {
        .ranks = ranks, .mpi_ranks = ranks, .run_ns = run_ns, .mpi_ns = 1, .mpi_calls = calls};
    const struct profile_told cut = {.ranks = ranks}, before = told;
    bool is_less = told_most_cut(most, &told);
    assert_memory_equal(&told, is_less ? &cut : &before, sizeof told);
    return is_less;
}

TEST(no_thread_ran_longer_than_its_step)
{
    const struct told_most most = most_of(0), back = most_of(-50 * (int64_t)SECOND),
                           forth = most_of(50 * (int64_t)SECOND);
    assert_false(is_cut(&most, 4, 20 * 160 * SECOND, 1));
    assert_true(is_cut(&most, 4, 20 * 160 * SECOND + 1, 1));
    assert_true(is_cut(&most, 1, INT64_MAX, 1));
    /* a clock that was set back had shown more */
    assert_false(is_cut(&back, 1, 20 * 210 * SECOND, 1));
    assert_true(is_cut(&back, 1, 20 * 210 * SECOND + 1, 1));
    assert_true(is_cut(&forth, 1, 20 * 160 * SECOND + 1, 1));
}

TEST(a_rank_may_have_more_threads_than_processors)
{
    const struct journal journal = {.node_cpus = 64};
    const struct journal_step step = {.start_ns = 1000 * SECOND};
    /* for a day, each with times of 500 routines */
    const struct told_most most = told_most_of(
        &journal, &step, 128 * 9 * PROFILE_PAGE + PROFILE_PROCESS_BYTES, 87400 * SECOND);
    assert_false(is_cut(&most, 1, 128 * 86400 * SECOND, 1));
}

TEST(a_call_takes_a_nanosecond_at_least)
{
    const struct told_most most = most_of(0);
    struct profile_told told = {
        .ranks = 1, .mpi_ranks = 1, .mpi_calls = 20 * 160 * SECOND, .is_untimed = 1};
    assert_false(is_cut(&most, 1, SECOND, SECOND));
    assert_true(is_cut(&most, 1, SECOND, SECOND + 1));
    assert_false(told_most_cut(&most, &told)); /* it has no times */
    told.mpi_calls++;
    assert_true(told_most_cut(&most, &told));
}

TEST(no_more_ranks_than_the_file_has_room_for)
{
    const struct told_most most = most_of(0);
    const struct profile_told some = {.ranks = 10}, many = {.ranks = 11},
                              two[] = {{.ranks = 4}, {.ranks = 6}};
    assert_true(told_most_has_ranks(&most, &some, 1));
    assert_false(told_most_has_ranks(&most, &many, 1));
    assert_true(told_most_has_ranks(&most, two, 2));
    const struct profile_told more[] = {two[0], two[1], {.ranks = 1}};
    assert_false(told_most_has_ranks(&most, more, 3));
}

TEST(what_has_no_end_is_bounded_by_nothing)
{
    const struct journal journal = {.node_cpus = 0};
    const struct journal_step step = {.start_ns = 0};
    struct told_most most = told_most_of(&journal, &step, PROFILE_PAGE, 40 * SECOND);
    assert_int_equal(most.run_ns, 100 * SECOND);
    most = told_most_of(&journal, &step, 2 * PROFILE_PAGE, UINT64_MAX);
    assert_true(most.run_ns == UINT64_MAX);
}
