/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By how much the clock was set during a run, from what a process on such a node would have
 * written.
 */
#include "submit/facts/clock_step.h"
#include "test/unit/fixture/cases.h"

#define SECOND INT64_C(1000000000)
#define START  (UINT64_C(1700000000) * 1000000000)
#define BOOT   (UINT64_C(1690000000) * 1000000000) /* by the clock at the job's start */

/* A job in which the clock was set by `step_ns`. */
static struct journal job_with(int64_t step_ns)
{
    return (struct journal){
        .is_clock_known = true, .clock_step_ns = step_ns, .apart_ns = BOOT, .up_ns = START - BOOT};
}

/* A run of ten seconds that began before the clock was set. */
static struct capture run_with(int64_t step_ns)
{
    return (struct capture){
        .start_ns = START,
        .end_ns = START + (uint64_t)(10 * SECOND + step_ns),
        .up_ns = START - BOOT,
        .elapsed_ns = (uint64_t)(10 * SECOND),
        .has_clock_step = 1,
        .clock_step_ns = step_ns,
    };
}

static struct ending ended(const struct capture *capture, const char *source)
{
    uint64_t end_ns = capture->end_ns < capture->start_ns ? capture->start_ns : capture->end_ns;
    return (struct ending){.source = source, .end_ns = end_ns};
}

TEST(a_run_that_came_to_its_end_has_measured_it)
{
    static const int64_t steps[] = {0, SECOND / 5, 3600 * SECOND, -3600 * SECOND, -SECOND};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct capture capture = run_with(steps[i]);
        const struct ending ending = ended(&capture, "fini");
        const struct journal journal = job_with(steps[i]);
        struct clock_step step = clock_step_find(&capture, &ending, &journal);
        assert_true(step.is_known);
        assert_int_equal(step.step_ns, steps[i]);
        assert_int_equal(step.run_ns, 10 * SECOND);
    }
}

/* Any user could make himself a run of a century. */
TEST(what_the_journal_does_not_confirm_is_no_time)
{
    const struct capture capture = run_with(3600 * SECOND);
    const struct ending ending = ended(&capture, "fini");
    const struct journal other[] = {
        job_with(0), job_with(-3600 * SECOND), job_with(60 * SECOND), {.is_clock_known = false}};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        assert_int_equal(clock_step_find(&capture, &ending, &other[i]).run_ns, 3610 * SECOND);
    assert_int_equal(clock_step_find(&capture, &ending, NULL).run_ns, 3610 * SECOND);
}

TEST(of_a_killed_run_it_is_known_where_the_clocks_stayed_apart)
{
    struct capture capture = run_with(0);
    struct journal journal = job_with(0);
    const struct ending ending = ended(&capture, "step_end");
    capture.has_clock_step = 0;
    assert_true(clock_step_find(&capture, &ending, &journal).is_known);
    /* set before the run */
    journal = job_with(7 * SECOND);
    capture.up_ns = capture.start_ns - (BOOT + (uint64_t)(7 * SECOND));
    assert_true(clock_step_find(&capture, &ending, &journal).is_known);
    assert_int_equal(clock_step_find(&capture, &ending, &journal).step_ns, 0);
    /* set in the run, or after it */
    capture.up_ns = START - BOOT;
    assert_false(clock_step_find(&capture, &ending, &journal).is_known);
    journal.is_clock_known = false;
    assert_false(clock_step_find(&capture, &ending, &journal).is_known);
    assert_false(clock_step_find(&capture, &ending, NULL).is_known);
    journal = job_with(0);
    capture.up_ns = 0;
    assert_false(clock_step_find(&capture, &ending, &journal).is_known);
    capture.up_ns = UINT64_MAX;
    assert_false(clock_step_find(&capture, &ending, &journal).is_known);
}

/* It signed, and lived on until slurmstepd saw its end. */
TEST(of_a_run_that_lived_on_the_process_does_not_know_it)
{
    const struct capture capture = run_with(3600 * SECOND);
    const struct ending ending = ended(&capture, "task_exit");
    const struct journal journal = job_with(3600 * SECOND);
    assert_false(clock_step_find(&capture, &ending, &journal).is_known);
}
