/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many lines a user may append: LINES_AT_ONCE, and one more for each LINE_MS that has passed.
 * Those beyond are counted, for one line that says how many were left out. And how many logs a user
 * may begin: LINE_NEW_LOGS in LINE_DAY_MS.
 *
 * Whoever has no name shares one place, LINE_SHARED: each user of a host may have ten thousands of
 * uids without one (subuid(5)). So do those for whom there is no place of their own.
 */
#ifndef JOBTRAIL_LINE_LIMITS_H
#define JOBTRAIL_LINE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/log_message.h"

enum { LINES_AT_ONCE = 120, LINE_MS = 5000, LINE_USERS_MAX = 512 };
enum { LINE_NEW_LOGS = 20, LINE_DAY_MS = 24 * 3600 * 1000 };

/* No user's. */
#define LINE_SHARED UINT32_MAX

struct line_user {
    uint32_t uid;
    uint32_t lines;    /* that they may write now */
    uint64_t since_ms; /* monotonic: since when more come; */
    uint32_t logs;     /* that they have begun */
    uint64_t day_ms;   /* monotonic: since then */
    uint64_t left_out; /* lines, in this log */
    char log[LOG_NAME_SIZE];
};

/* {0} at first. */
struct line_limits {
    struct line_user shared;
    struct line_user user[LINE_USERS_MAX];
    size_t count;
};

/* Whether this user has a place of their own. */
bool line_limits_knows(const struct line_limits *limits, uint32_t uid);

/* Whether the user, or LINE_SHARED, may write a line to the log now. If not, it is counted. */
bool line_limits_take(struct line_limits *limits, uint32_t uid, const char *log, uint64_t now_ms);

/* Whether the same may begin a log now. If so, it is counted. */
bool line_limits_begin_log(struct line_limits *limits, uint32_t uid, uint64_t now_ms);

/* A user of whom lines were left out, and who may write again: to be told, and set to 0 by the
 * caller. `is_end`: any user of whom lines were left out. NULL: none. */
struct line_user *line_limits_untold(struct line_limits *limits, uint64_t now_ms, bool is_end);

#endif
