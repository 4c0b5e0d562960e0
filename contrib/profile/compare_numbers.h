/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As qsort(3) wants it.
 */
#ifndef JOBTRAIL_COMPARE_NUMBERS_H
#define JOBTRAIL_COMPARE_NUMBERS_H

#include <stdint.h>

static inline int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

#endif
