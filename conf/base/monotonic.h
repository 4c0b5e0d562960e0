/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The clock that nobody sets (CLOCK_MONOTONIC).
 */
#ifndef JOBTRAIL_MONOTONIC_H
#define JOBTRAIL_MONOTONIC_H

#include <stdint.h>

uint64_t monotonic_ms(void);

/* When `ms` from now are over, in nanoseconds. */
uint64_t monotonic_deadline(uint64_t ms);

/* Milliseconds until `deadline_ns`; 0 when it is over. At the most an hour. */
unsigned monotonic_left_ms(uint64_t deadline_ns);

#endif
