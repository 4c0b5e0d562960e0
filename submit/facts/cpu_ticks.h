/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU time in integers, so that what is divided adds up again, in whatever order: one CPU has 2^32
 * ticks in a nanosecond. 2^20 CPUs x 2^64 ns, 584 years, fit.
 */
#pragma once

#include <stdint.h>

enum { CPU_TICKS_BITS = 32 };

typedef unsigned __int128 cpu_ticks;

/* What one CPU has in a nanosecond. */
#define CPU_TICKS_IN_NS (UINT64_C(1) << CPU_TICKS_BITS)

static inline double cpu_ticks_seconds(cpu_ticks ticks)
{
    return (double)ticks / (double)CPU_TICKS_IN_NS / 1e9;
}
