/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The range of dates that is asked for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "contrib/libraries/library_date.h"

struct date_range {
    int64_t first_s, last_s; /* INT64_MIN, INT64_MAX: without a bound */
    int first_month;         /* 1 to 12, of the bound; 1 without one */
};

/* Reads the bounds, of which each may be NULL: a date of library_date.h, "now", "today" or
 * "yesterday". The first one is where its date begins, the last one where it ends. Returns 0;
 * -EINVAL where `*wrong`, one of the two, is no such date, or has the weekday of another one; or
 * -ERANGE where the range ends before it begins. */
int date_range_read(struct library_days *days, const char *first, const char *last,
                    struct date_range *range, const char **wrong);

/* Whether the date can be in the range. */
static inline bool date_range_has(const struct date_range *range, const struct library_date *date)
{
    return date->last_s >= range->first_s && date->first_s <= range->last_s;
}

/* By how many seconds clocks of the zone are set back within two days of the time. */
int64_t date_range_set_back(int64_t time_s);
