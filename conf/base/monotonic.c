/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/monotonic.h"

#include <time.h>

uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t monotonic_ms(void)
{
    return monotonic_ns() / 1000000u;
}

uint64_t monotonic_deadline(uint64_t ms)
{
    return monotonic_ns() + ms * 1000000u;
}

unsigned monotonic_left_ms(uint64_t deadline_ns)
{
    uint64_t now = monotonic_ns();
    uint64_t left = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;
    return left > 3600000 ? 3600000 : (unsigned)left;
}
