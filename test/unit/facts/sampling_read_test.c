/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs are recorded when the site samples, and with which probability.
 */
#include "submit/facts/sampling_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SECOND_NS UINT64_C(1000000000)

/* Up to 10 s one in four, then all; of more than one rank one in two, always. */
static struct conf_interval scalar[] = {{0, 1, 4, 0}, {10, 1, 1, 0}}, mpi[] = {{0, 1, 2, 0}};
static const struct conf conf = {.sample = true, .scalar = {scalar, 2}, .mpi = {mpi, 1}};

/* Whether the run of the capture is kept if it took so long. */
static bool is_kept(const struct capture *capture, unsigned seconds, double *probability)
{
    const struct ending ending = {.end_ns = capture->start_ns + seconds * SECOND_NS};
    return sampling_keeps(&conf, capture, &ending, probability) != 0;
}

static void the_table_decides_for_a_process_that_was_killed(void **state)
{
    struct capture capture = {.start_ns = 5 * SECOND_NS, .size = 1};
    double probability;
    (void)state;
    for (unsigned eighth = 0; eighth < 8; eighth++) {
        capture.random = ((uint64_t)eighth << 61) + 1;
        capture.size = 1;
        assert_int_equal(is_kept(&capture, 9, &probability), eighth < 2);
        assert_true(probability == 0.25);
        assert_true(is_kept(&capture, 10, &probability));
        assert_true(probability == 1);
        capture.size = 2;
        assert_int_equal(is_kept(&capture, 9, &probability), eighth < 4);
        assert_true(probability == 0.5);
    }
}

static void a_process_that_ended_has_decided(void **state)
{
    struct capture capture = {.end_ns = 1, .probability = 0.25, .random = UINT64_MAX, .size = 1};
    double probability;
    (void)state;
    assert_true(is_kept(&capture, 1, &probability));
    assert_true(probability == 0.25);
    capture.probability = 0.125; /* of no table: nobody is believed who makes a run weigh more */
    assert_false(is_kept(&capture, 1, &probability));
    capture.random = 0;
    assert_true(is_kept(&capture, 1, &probability));
    assert_true(probability == 0.25);
}

static void what_is_not_sampled_is_kept(void **state)
{
    struct capture capture = {.random = UINT64_MAX, .size = 1, .keep = true};
    const struct ending ending = {.end_ns = SECOND_NS};
    const struct conf off = {.sample = false, .scalar = {scalar, 2}, .mpi = {mpi, 1}};
    double probability = 0;
    (void)state;
    assert_true(is_kept(&capture, 1, &probability));
    assert_true(probability == 1);
    capture.keep = false;
    assert_false(is_kept(&capture, 1, &probability));
    assert_true(sampling_keeps(&off, &capture, &ending, &probability) != 0);
    assert_true(probability == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_decides_for_a_process_that_was_killed),
        cmocka_unit_test(a_process_that_ended_has_decided),
        cmocka_unit_test(what_is_not_sampled_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
