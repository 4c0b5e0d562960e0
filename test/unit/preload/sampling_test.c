/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By which table the library samples a run, and by which of its lines, from a policy that our
 * compiler made.
 */
#include "preload/stub.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

#define SECOND UINT64_C(1000000000)

#define TABLES "scalar = 0 0.01\nscalar = 1m 1\nmpi = 0 1:2\nmpi = 10 0.75\nalways_ranks = 128\n"

static const char on[] = "[sampling]\nenabled = yes\n" TABLES;
static const char off[] = "[sampling]\nenabled = no\n" TABLES;

/* The probability of a run of so long; 1 where it is kept without a table. */
static double probability_of(const char *conf, const struct switches *switches, uint64_t run_ns)
{
    struct sampling sampling;
    void *policy = compiled(conf);
    memset(&sampling, 0x5a, sizeof sampling);
    sampling_choose(policy, switches, &sampling);
    const struct policy_interval *found = sampling_find(&sampling, run_ns);
    double probability = found == NULL ? 1 : found->probability;
    free(policy);
    return probability;
}

TEST(a_run_is_sampled_by_its_time_and_its_ranks)
{
    static const struct {
        uint32_t ranks;
        uint64_t run_ns;
        double probability;
    } cases[] = {
        {1, 0, 0.01},
        {1, 60 * SECOND - 1, 0.01},
        {1, 60 * SECOND, 1},
        {1, UINT64_MAX, 1},
        {2, 10 * SECOND - 1, 0.5},
        {2, 10 * SECOND, 0.75},
        {127, 0, 0.5},
        {128, 0, 1},
        {UINT32_MAX, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct switches switches = {.size = cases[i].ranks};
        assert_true(probability_of(on, &switches, cases[i].run_ns) == cases[i].probability);
    }
}

TEST(a_user_switches_sampling_on_and_off)
{
    struct switches switches = {.size = 1};
    assert_true(probability_of(off, &switches, 0) == 1);
    switches.sampling = SWITCH_YES;
    assert_true(probability_of(off, &switches, 0) == 0.01);
    switches.sampling = SWITCH_NO;
    assert_true(probability_of(on, &switches, 0) == 1);
}

TEST(a_user_says_from_how_many_ranks_on_all_is_recorded)
{
    struct switches switches = {.size = 2, .always_ranks = "2"};
    assert_true(probability_of(on, &switches, 0) == 1);
    switches.always_ranks = "3";
    assert_true(probability_of(on, &switches, 0) == 0.5);
    switches.always_ranks = "4294967296"; /* more than there can be */
    switches.size = 1000;
    assert_true(probability_of(on, &switches, 0) == 0.5);
    /* a program without MPI has no ranks */
    switches = (struct switches){.size = 1, .always_ranks = "1"};
    assert_true(probability_of(on, &switches, 0) == 0.01);
}

/* XALT_TESTING_RUNTIME, so that a test of a site's needs no hour. */
TEST(a_runtime_for_tests_takes_the_place_of_the_true_one)
{
    static const struct {
        const char *text;
        double probability;
    } cases[] = {
        {"0", 0.01}, {"", 0.01},  {"59.999999999", 0.01}, {"59.99999999999999999999", 0.01},
        {"60", 1},   {"60.5", 1}, {"59.9x", 0.01},        {"99999999999999999999", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct switches switches = {.size = 1, .testing_runtime = cases[i].text};
        if (probability_of(on, &switches, 3600 * SECOND) != cases[i].probability)
            fail_msg("'%s'", cases[i].text);
    }
}
