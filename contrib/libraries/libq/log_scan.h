/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lines of a log that are asked for, one after the other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "contrib/libraries/libq/line_read.h"
#include "contrib/libraries/library_date.h"

/* The range of dates that is asked for. */
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

/* ---- Where a date begins in a log ------------------------------------------------------------ */

/* Where a range of dates begins and ends in a log whose times do not go back (library_log.h), but
 * for an hour at the most, and where the zone's clocks are set back. */

/* By how many seconds a line may be older than one before it. */
enum { LOG_BACK_S = 3600 };

/* The lines in question begin from `from` on and before `to`: all that can be in the range, and few
 * others. INT64_MAX: to the end, however the file grows. */
struct log_part {
    off_t from, to;
    bool is_unsorted; /* the lines that were looked at are not in order: nothing is known */
};

/* Whether a log's times do not go back. */
enum log_order {
    LOG_AS_ITS_HEAD_SAYS, /* LIBRARY_LOG_SORTED */
    LOG_SORTED,
    LOG_UNSORTED,
};

struct log_query {
    struct date_range range;
    struct library_days days;
    enum log_order order;
    bool is_inverted; /* what is not in the range, lines without a date too */
    bool by_second;   /* by the second date of a line; a line without one has none */
    /* Unless it is NULL: is called before a log's first line is judged, and where a head is met,
     * with the zone that the head names, "" for none. It can change the range and the days. Returns
     * 0 or -errno, which ends the scan. */
    int (*in_zone)(struct log_query *query, const char *zone);
};

/* What became of a log. */
enum log_verdict {
    LOG_READ,
    LOG_COMPRESSED,   /* nothing was read */
    LOG_NOT_IN_ORDER, /* lines may be missing: its times go back where they ought not to */
};

/* Is given each piece of a line that is asked for; `date` is NULL where the line has none, and
 * behind the line's first piece. Returns 0; 1: enough; or -errno. */
typedef int log_visit(void *context, const struct line_piece *piece,
                      const struct library_date *date);

/* Reads from where the descriptor is. A file is bisected where it is in order and a part of it is
 * enough, and read as a whole elsewhere. A line LIBRARY_LOG_SORTED is never asked for. Returns 0
 * and sets `*verdict`; or -errno, also the visitor's. */
int log_scan(int fd, struct log_query *query, log_visit *visit, void *context,
             enum log_verdict *verdict);
