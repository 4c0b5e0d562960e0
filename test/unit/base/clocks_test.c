/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <time.h>

#include "conf/base/clocks.h"
#include "test/unit/fixture/cases.h"

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    assert_int_equal(clock_gettime(clock, &now), 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nobody sets the clock meanwhile: both tell the same time since the first pair. */
TEST(pairs_differ_by_what_their_clocks_are_apart)
{
    const uint64_t before_ns = read_clock(CLOCK_BOOTTIME);
    const struct clock_pair first = clock_pair_read(), second = clock_pair_read();
    const uint64_t after_ns = read_clock(CLOCK_BOOTTIME);
    assert_true(before_ns <= first.boot_ns && first.boot_ns + first.apart_ns <= second.boot_ns);
    assert_true(second.boot_ns + second.apart_ns <= after_ns);
    const int64_t moved_ns =
        (int64_t)((second.real_ns - second.boot_ns) - (first.real_ns - first.boot_ns));
    assert_true(moved_ns <= (int64_t)second.apart_ns && -moved_ns <= (int64_t)first.apart_ns);
}
