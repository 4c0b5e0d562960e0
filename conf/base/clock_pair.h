/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two clocks at one moment. The time of day less that since boot is the same until somebody sets
 * the clock: what slows down or hastens one does so to the other.
 */
#ifndef JOBTRAIL_CLOCK_PAIR_H
#define JOBTRAIL_CLOCK_PAIR_H

#include <stdint.h>

struct clock_pair {
    uint64_t boot_ns;  /* CLOCK_BOOTTIME */
    uint64_t real_ns;  /* CLOCK_REALTIME, between boot_ns and apart_ns later */
    uint64_t apart_ns; /* of several readings the least */
};

struct clock_pair clock_pair_read(void);

#endif
