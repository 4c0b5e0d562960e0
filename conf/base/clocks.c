/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/clocks.h"

/* A process may lose its processor between two clocks, and seldom does so at each reading. */
enum { READINGS = 8 };

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
