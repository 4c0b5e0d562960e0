/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CLOCK_NS_H
#define JOBTRAIL_CLOCK_NS_H

#include <stdint.h>
#include <time.h>

/* What a clock of clock_gettime(2) says, in nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
