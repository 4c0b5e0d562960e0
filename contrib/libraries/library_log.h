/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text logs about libraries, one a library: NAME.log. Each line begins with a date
 * (library_date.h), the time of the entry. In a log of changes a second one follows, the time of
 * last modification of the library's file. Then there are words with blanks between.
 *
 *     Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED
 *     Tue_Aug_22_1995_17:00 Tue_Aug_22_1995_16:04 LIB_MODIFIED
 *     Wed_May_17_1995_08:49 L2TCG filei
 *
 * A line without a date is a remark.
 *
 * A log whose first line is LIBRARY_LOG_SORTED has times that do not go back: jobtrail-libq finds a
 * range of dates in it by bisection. Who begins a log so has to see to it: where a clock has been
 * set back, they write the time of the line before again. Local times that come twice, since the
 * zone sets its clocks back, are no fault. Behind a blank this line can name the time zone of the
 * log's local times: "# jobtrail: sorted Asia/Tokyo". Without it they are in the zone of the user
 * who reads. LIBRARY_LOG_UNSORTED says the same of a log whose lines are in no order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/base/days.h"
#include "contrib/libraries/library_date.h"

#define LIBRARY_LOG_SORTED   "# jobtrail: sorted\n"
#define LIBRARY_LOG_UNSORTED "# jobtrail: unsorted\n"

/* The bytes that a head has at most, with its newline. */
enum { LIBRARY_LOG_HEAD_MAX = sizeof LIBRARY_LOG_UNSORTED + DAYS_ZONE_MAX };

/* Whether the line, which is without its newline, is LIBRARY_LOG_SORTED or LIBRARY_LOG_UNSORTED,
 * with or without a zone; "" where it names none. `*is_sorted`: it is the first of them. */
bool library_log_head(const char *line, size_t size, bool *is_sorted, char zone[DAYS_ZONE_MAX]);

/* The word of the line that a log begins with: it counts in no table. */
#define LIBRARY_LOG_CREATED "LOG_CREATED"

struct library_line {
    struct library_date date[2]; /* of the entry, of the library's file */
    size_t dates;                /* how many of them the line has; 0: it is a remark */
    const char *words;           /* what follows, from its first byte that is no blank on */
};

/* Reads the dates of the line from `at` to `end`, which is without its newline. */
void library_line_read(struct library_days *days, const char *at, const char *end,
                       struct library_line *line);

enum { LIBRARY_NAME_SIZE = 256 };

/* The library that the log `path` is about, by the name of the file: without directories, `.log`,
 * and what rotation adds to that (.1, -20261125, .gz). It is not empty. */
void library_log_name(const char *path, char name[LIBRARY_NAME_SIZE]);

/* The part of a library's name that people say: imsl20 of libimsl20. */
const char *library_log_short(const char *name);
