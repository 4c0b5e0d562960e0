/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs sampling keeps, and with which probability.
 */
#include "preload/ledger.h"
#include "submit/facts/sampling_read.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

#define SECOND UINT64_C(1000000000)

/* Below a minute one of a hundred, then all; MPI: below ten seconds one of two. */
#define SAMPLING(enabled)                                                                          \
    "[sampling]\nenabled = " enabled "\nscalar = 0 1:100\nscalar = 60 1\nmpi = 0 0.5\n"            \
    "mpi = 10 0.75\nalways_ranks = 64\n"

static const void *policy; /* in force */

static int set_up(void **state)
{
    policy = *state = compiled(SAMPLING("yes"));
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

/* A run that began under the policy in force. */
static struct capture run_of(uint32_t ranks)
{
    return (struct capture){
        .start_ns = 1000 * SECOND, .size = ranks, .table = sampling_table(policy, ranks)};
}

static struct capture ended_run(uint64_t random, double probability)
{
    struct capture capture = run_of(1);
    capture.end_ns = 1001 * SECOND;
    capture.random = random;
    capture.probability = probability;
    return capture;
}

/* The probability of the run, 0 where it is sampled out. */
static double kept_of(const struct capture *capture, uint64_t run_ns)
{
    const struct ending ending = {.max_ns = capture->start_ns + run_ns};
    double probability = -1;
    return sampling_keeps(policy, capture, &ending, &probability) ? probability : 0;
}

/* `random` is compared with the probability's share of 2^64. */
TEST(a_killed_run_is_kept_by_the_number_that_it_drew)
{
    static const struct {
        uint32_t ranks;
        uint64_t run_ns;
        uint64_t random;
        double kept;
    } cases[] = {
        {1, 0, 0, 0.01},
        {1, 59 * SECOND + SECOND - 1, UINT64_MAX / 100 - 1, 0.01},
        {1, 59 * SECOND + SECOND - 1, UINT64_MAX / 100, 0},
        {1, 60 * SECOND, UINT64_MAX, 1},
        {2, SECOND, (UINT64_C(1) << 63) - 1, 0.5},
        {2, SECOND, UINT64_C(1) << 63, 0},
        {2, 10 * SECOND, UINT64_C(3) << 62, 0},
        {2, 10 * SECOND, (UINT64_C(3) << 62) - 1, 0.75},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture capture = run_of(cases[i].ranks);
        capture.random = cases[i].random;
        double kept = kept_of(&capture, cases[i].run_ns);
        if (kept != cases[i].kept)
            fail_msg("case %zu: %g, not %g", i, kept, cases[i].kept);
    }
}

TEST(a_run_that_came_to_its_end_has_decided)
{
    struct capture capture = ended_run(UINT64_MAX, 0.01);
    assert_true(kept_of(&capture, SECOND) == 0.01);
    capture.probability = 1;
    assert_true(kept_of(&capture, SECOND) == 1);
    /* not by the next program of its process, which cannot know */
    capture.end_by = LEDGER_END_REPLACED;
    capture.probability = 0;
    assert_true(kept_of(&capture, SECOND) == 0);
}

/* Reports weigh a run by one over its probability: no process can make itself a million runs. */
TEST(a_probability_that_its_table_does_not_have_is_not_believed)
{
    static const double lies[] = {1e-6, 0, -1, 0.02, 2, 0.5};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct capture capture = ended_run(UINT64_MAX, lies[i]);
        assert_true(kept_of(&capture, SECOND) == 0); /* its number is above one of 100 */
        capture.random = 0;
        assert_true(kept_of(&capture, SECOND) == 0.01);
    }
    /* nor that of a process that has not signed its end */
    struct capture capture = ended_run(0, 1);
    capture.end_ns = 0;
    assert_true(kept_of(&capture, SECOND) == 0.01);
}

TEST(what_is_not_to_be_sampled_is_kept)
{
    struct capture capture = run_of(1);
    capture.random = UINT64_MAX;
    assert_true(kept_of(&capture, 0) == 0);
    capture.keep = 1;
    assert_true(kept_of(&capture, 0) == 1);
    capture.keep = 0;
    capture.table = 0;
    assert_true(kept_of(&capture, 0) == 1);
    assert_int_equal(sampling_table(policy, 64), 0);
    void *off = compiled(SAMPLING("no"));
    assert_int_equal(sampling_table(off, 1), 0);
    free(off);
}

/* What the site compiles while a job runs holds for what begins after that. */
TEST(a_run_is_decided_by_the_table_that_it_began_with)
{
    struct capture began = run_of(1), ended = ended_run(UINT64_MAX, 0.01);
    void *next = compiled_after("[sampling]\nenabled = yes\nscalar = 0 1:950\n", policy);
    void *last = compiled_after("[sampling]\nenabled = no\nscalar = 0 1\n", next);
    began.random = UINT64_MAX / 950;
    policy = last;
    assert_true(kept_of(&began, SECOND) == 0.01);
    assert_true(kept_of(&ended, SECOND) == 0.01);
    began.table = sampling_table(next, 1);
    assert_true(kept_of(&began, SECOND) == 0);
    began.random--;
    assert_true(kept_of(&began, SECOND) == 1.0 / 950);
    free(next);
    free(last);
}

/* No process has left it out, as it was killed. */
TEST(a_run_whose_table_is_not_known_is_kept)
{
    struct capture capture = run_of(1);
    capture.random = UINT64_MAX;
    capture.table++;
    assert_true(kept_of(&capture, SECOND) == 1);
    capture.end_ns = 1001 * SECOND;
    capture.probability = 1e-6;
    assert_true(kept_of(&capture, SECOND) == 1);
}

EACH(set_up, tear_down)
