/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparing and adding numbers, seconds, and plurals of words.
 */
#pragma once

#include <stdint.h>

/* As qsort(3) wants it. */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Adds what anybody may have written: a sum that would be too large stays at UINT64_MAX. */
static inline void saturate_add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

static inline double profile_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* Of a shorter time no digit would be printed. */
enum { PROFILE_LEAST_NS = 1000 };

/* Words after a number of things. */
static inline const char *plural(uint64_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

/* The end of a word that has no other change. */
static inline const char *plural_end(uint64_t count)
{
    return plural(count, "", "s");
}
