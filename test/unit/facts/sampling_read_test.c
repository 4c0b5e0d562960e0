/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs sampling keeps, and with which probability.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "submit/facts/sampling_read.h"

#define SECOND UINT64_C(1000000000)

/* Below a minute one of a hundred, then all; MPI: below ten seconds one of two. */
static struct conf_interval scalar[] = {{.from_s = 0, .above = 1, .below = 100},
                                        {.from_s = 60, .above = 1, .below = 1}};
static struct conf_interval mpi[] = {{.from_s = 0, .above = 1, .below = 2},
                                     {.from_s = 10, .above = 3, .below = 4}};

static struct conf conf_of(int sample)
{
    return (struct conf){.sample = sample, .scalar = {scalar, 2}, .mpi = {mpi, 2}};
}

/* The probability of the run, 0 where it is sampled out. */
static double kept_of(const struct conf *conf, const struct capture *capture, uint64_t run_ns)
{
    const struct ending ending = {.max_ns = capture->start_ns + run_ns};
    double probability = -1;
    return sampling_keeps(conf, capture, &ending, &probability) ? probability : 0;
}

/* `random` is compared with the probability's share of 2^64. */
static void a_killed_run_is_kept_by_the_number_that_it_drew(void **state)
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
        {0, 60 * SECOND, UINT64_MAX, 1},
        {2, SECOND, (UINT64_C(1) << 63) - 1, 0.5},
        {2, SECOND, UINT64_C(1) << 63, 0},
        {2, 10 * SECOND, UINT64_C(3) << 62, 0},
        {2, 10 * SECOND, (UINT64_C(3) << 62) - 1, 0.75},
    };
    const struct conf conf = conf_of(1);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct capture capture = {
            .start_ns = 1000 * SECOND, .size = cases[i].ranks, .random = cases[i].random};
        double kept = kept_of(&conf, &capture, cases[i].run_ns);
        if (kept != cases[i].kept)
            fail_msg("case %zu: %g, not %g", i, kept, cases[i].kept);
    }
}

static void a_run_that_came_to_its_end_has_decided(void **state)
{
    const struct conf conf = conf_of(1);
    struct capture capture = {
        .start_ns = SECOND, .end_ns = 2 * SECOND, .random = UINT64_MAX, .probability = 0.01};
    (void)state;
    assert_true(kept_of(&conf, &capture, SECOND) == 0.01);
    capture.probability = 1;
    assert_true(kept_of(&conf, &capture, SECOND) == 1);
    /* as a large run's rank 0 decided, by the other table */
    capture.probability = 0.75;
    assert_true(kept_of(&conf, &capture, SECOND) == 0.75);
}

/* Reports weigh a run by one over its probability: no process can make itself a million runs. */
static void a_probability_that_no_table_has_is_not_believed(void **state)
{
    static const double lies[] = {1e-6, 0, -1, 0.02, 2};
    const struct conf conf = conf_of(1);
    struct capture capture = {.start_ns = SECOND, .end_ns = 2 * SECOND, .random = UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        capture.probability = lies[i];
        assert_true(kept_of(&conf, &capture, SECOND) == 0); /* its number is above one of 100 */
    }
    capture.random = 0;
    assert_true(kept_of(&conf, &capture, SECOND) == 0.01);
    /* nor that of a process that has not signed its end */
    capture.end_ns = 0;
    capture.probability = 1;
    assert_true(kept_of(&conf, &capture, SECOND) == 0.01);
}

static void what_is_not_to_be_sampled_is_kept(void **state)
{
    struct conf conf = conf_of(0);
    struct capture capture = {.start_ns = SECOND, .random = UINT64_MAX};
    (void)state;
    assert_true(kept_of(&conf, &capture, 0) == 1);
    conf = conf_of(1);
    assert_true(kept_of(&conf, &capture, 0) == 0);
    capture.keep = 1;
    assert_true(kept_of(&conf, &capture, 0) == 1);
    capture.keep = 0;
    conf.scalar.count = 0;
    assert_true(kept_of(&conf, &capture, 0) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_is_kept_by_the_number_that_it_drew),
        cmocka_unit_test(a_run_that_came_to_its_end_has_decided),
        cmocka_unit_test(a_probability_that_no_table_has_is_not_believed),
        cmocka_unit_test(what_is_not_to_be_sampled_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
