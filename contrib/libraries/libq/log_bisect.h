/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a range of dates begins and ends in a log whose times do not go back (library_log.h), but
 * for an hour at the most, and where the zone's clocks are set back.
 */
#ifndef JOBTRAIL_LOG_BISECT_H
#define JOBTRAIL_LOG_BISECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "contrib/libraries/libq/date_range.h"

/* By how many seconds a line may be older than one before it. */
enum { LOG_BACK_S = 3600 };

/* The lines in question begin from `from` on and before `to`: all that can be in the range, and few
 * others. INT64_MAX: to the end, however the file grows. */
struct log_part {
    off_t from, to;
    bool is_unsorted; /* the lines that were looked at are not in order: nothing is known */
};

/* Looks into the file `fd`, of which `size` bytes are there, from `base` on, where lines begin.
 * Returns 0 or -errno. */
int log_bisect(int fd, off_t base, off_t size, const struct date_range *range,
               struct library_days *days, struct log_part *part);

#endif
