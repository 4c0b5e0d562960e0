/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/monotonic.h"

#include "conf/base/clock_ns.h"

uint64_t monotonic_ms(void)
{
    return clock_ns(CLOCK_MONOTONIC) / 1000000u;
}

uint64_t monotonic_deadline(uint64_t ms)
{
    return clock_ns(CLOCK_MONOTONIC) + ms * 1000000u;
}

unsigned monotonic_left_ms(uint64_t deadline_ns)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t left = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;
    return left > 3600000 ? 3600000 : (unsigned)left;
}
