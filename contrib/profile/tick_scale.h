/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ticks of a profile as nanoseconds.
 */
#pragma once

#include <stdint.h>

#include "contrib/profile/profile_read.h"

struct tick_scale {
    double tick_ns;           /* 0: not known */
    struct profile_pair from; /* a moment of the process by all three clocks */
};

/* This moment, by the counter that this machine has. */
struct profile_pair tick_now(void);

/* The boot in which the counter counts, as profile_header.boot has it; "" where that cannot be
 * reported. */
void tick_boot(char boot[64]);

/* The scale of a process. `now` is a moment of the header's boot; NULL where there is none: then
 * the moments in the file have to do. */
struct tick_scale tick_scale_of(const struct profile_header *header,
                                const struct profiled_process *process,
                                const struct profile_pair *now);

/* So many ticks in nanoseconds; 0 where the scale is not known. */
uint64_t tick_ns(const struct tick_scale *scale, uint64_t ticks);

/* The reading at a time since boot; `least` where that is later, as what the process itself left
 * last may be, or where nothing is known, and `most` where that is earlier. */
uint64_t tick_at(const struct tick_scale *scale, uint64_t boot_ns, uint64_t least, uint64_t most);

/* No process of the file can have read a later one: `now` is as above. */
uint64_t tick_most(const struct profiled_process *process, const struct profile_pair *now);

/* The time since the Epoch of a reading, by the clock as it was at `from`. */
uint64_t tick_real_ns(const struct tick_scale *scale, uint64_t ticks);
