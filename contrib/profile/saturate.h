/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of numbers that anybody may have written.
 */
#ifndef JOBTRAIL_SATURATE_H
#define JOBTRAIL_SATURATE_H

#include <stdint.h>

/* Adds; a sum that would be too large stays at UINT64_MAX. */
static inline void saturate_add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

#endif
