/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/tick_scale.h"

#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

/* Two ticks in a nanosecond; the process began 10 s after boot. */
static const struct profile_pair begin = {
    .ticks = 20 * SECOND, .boot_ns = 10 * SECOND, .real_ns = 1010 * SECOND};

static struct tick_scale scale_of(uint64_t real_ns)
{
    struct tick_scale scale = {.tick_ns = 0.5, .from = begin};
    scale.from.real_ns = real_ns;
    return scale;
}

TEST(a_reading_does_not_depend_on_the_real_time_clock)
{
    const struct tick_scale right = scale_of(1010 * SECOND), set = scale_of(4610 * SECOND);
    assert_int_equal(tick_at(&right, 13 * SECOND, 0, UINT64_MAX), 26 * SECOND);
    assert_int_equal(tick_at(&set, 13 * SECOND, 0, UINT64_MAX), 26 * SECOND);
}

TEST(a_reading_is_between_what_was_left_last_and_now)
{
    const struct tick_scale scale = scale_of(1010 * SECOND), none = {.from = begin};
    const uint64_t least = 22 * SECOND, most = 24 * SECOND;
    assert_int_equal(tick_at(&scale, 0, least, most), least); /* nothing is known */
    assert_int_equal(tick_at(&scale, 5 * SECOND, least, most), least);
    assert_true(tick_at(&scale, 23 * SECOND / 2, least, most) == 23 * SECOND);
    assert_int_equal(tick_at(&scale, 13 * SECOND, least, most), most);
    assert_int_equal(tick_at(&scale, UINT64_MAX, least, most), most);
    assert_int_equal(tick_at(&none, 13 * SECOND, least, most), least);
}

TEST(no_process_can_have_read_what_is_later_than_now)
{
    const struct profile_pair now = {.ticks = 50 * SECOND, .boot_ns = 25 * SECOND};
    struct profiled_process process = {.counter = PROFILE_CYCLES};
    assert_int_equal(tick_most(&process, &now), 50 * SECOND);
    process.counter = PROFILE_COARSE;
    assert_int_equal(tick_most(&process, &now), 25 * SECOND);
    assert_true(tick_most(&process, NULL) == UINT64_MAX);
}

/* A process that lost its processor between two clocks for 9 ticks, and for 4. */
static struct profile_pair reader(uint32_t counter, uint64_t *took)
{
    static const uint64_t takes[] = {9, 2, 4};
    static size_t read;
    *took = takes[read++];
    return (struct profile_pair){.ticks = counter + read};
}

TEST(of_three_readings_the_quickest_counts)
{
    assert_int_equal(profile_pair_now(&reader, 10).ticks, 12);
}
