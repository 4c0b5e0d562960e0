/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/clock_pair.h"

#include <time.h>

/* A process may lose its processor between two clocks, and seldom does so at each reading. */
enum { READINGS = 8 };

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct clock_pair clock_pair_read(void)
{
    struct clock_pair best = {.apart_ns = UINT64_MAX};
    for (int i = 0; i < READINGS; i++) {
        const uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME), real_ns = clock_ns(CLOCK_REALTIME);
        const uint64_t apart_ns = clock_ns(CLOCK_BOOTTIME) - boot_ns;
        if (apart_ns < best.apart_ns)
            best = (struct clock_pair){boot_ns, real_ns, apart_ns};
    }
    return best;
}
