/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/core_time_check.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/days.h"
#include "conf/base/json_end.h"
#include "preload/ledger.h"

/* A JSON value, or what is left of one. */
struct json {
    const char *at, *end;
};

static bool is_text(struct json value, const char *text)
{
    size_t length = (size_t)(value.end - value.at);
    return strlen(text) == length && memcmp(value.at, text, length) == 0;
}

static bool take_char(struct json *rest, char wanted)
{
    bool is_there = rest->at < rest->end && *rest->at == wanted;
    rest->at += is_there;
    return is_there;
}

/* A number that is not negative, and can be read as one only. */
static bool read_number(struct json value, double *number)
{
    char text[64], *end;
    size_t length = (size_t)(value.end - value.at);
    if (length == 0 || length >= sizeof text || *value.at < '0' || *value.at > '9')
        return false;
    memcpy(text, value.at, length);
    text[length] = '\0';
    *number = strtod(text, &end);
    return *end == '\0' && *number >= 0 && *number < 1e18;
}

/* The same of a whole number, without a point or an exponent. */
static bool read_count(struct json value, double *number)
{
    for (const char *at = value.at; at < value.end; at++)
        if (*at < '0' || *at > '9')
            return false;
    return read_number(value, number);
}

/* What rounds: of each record and each sum. */
static bool is_within(const struct core_time_check *check, double sum)
{
    return sum <= check->most * (1 + 1e-6) + (check->most > 0 ? 1e-3 : 0);
}

/* "YYYY-MM-DD" with its quotes. */
static bool is_day(const struct core_time_check *check, struct json value)
{
    char text[DAYS_TEXT_SIZE];
    int32_t day;
    size_t length = (size_t)(value.end - value.at);
    if (length != sizeof "YYYY-MM-DD" + 1 || *value.at != '"')
        return false;
    memcpy(text, value.at + 1, length - 2);
    text[length - 2] = '\0';
    return days_parse(text, &day) == 0 && day >= check->first_day && day <= check->last_day;
}

void core_time_check_make(struct core_time_check *check, const struct job_allocation *allocation,
                          uint64_t ledger_bytes)
{
    *check = (struct core_time_check){.first_day = 1, .last_day = 0};
    if (allocation == NULL)
        return;
    check->most = allocation->core_seconds;
    check->most_others = (double)job_allocation_most_runs(allocation);
    check->most_row_tasks = allocation->tasks;
    /* a stub is the least that a run leaves; a static program leaves nothing but its task */
    uint64_t stubs = ledger_bytes / sizeof(struct ledger_stub);
    check->most_row_runs = check->most_row_tasks + (double)stubs;
    check->first_day = days_of(allocation->start_ns);
    check->last_day = days_of(allocation->end_ns);
}

bool core_time_check_run(void *context, const char *value, size_t length)
{
    struct core_time_check *check = context;
    double number = 0;
    const struct json told = {value, value + length};
    if (!is_text(told, "null") && !read_number(told, &number))
        return false;
    check->told.runs += number;
    return is_within(check, check->taken.runs + check->told.runs);
}

bool core_time_check_most(void *context, const char *value, size_t length)
{
    const struct core_time_check *check = context;
    double number = 0;
    const struct json told = {value, value + length};
    return (is_text(told, "null") || read_number(told, &number)) && is_within(check, number);
}

bool core_time_check_others(void *context, const char *value, size_t length)
{
    const struct core_time_check *check = context;
    double number;
    return read_count((struct json){value, value + length}, &number) &&
           number <= check->most_others;
}

bool core_time_check_others_time(void *context, const char *value, size_t length)
{
    const struct core_time_check *check = context;
    double number;
    return read_number((struct json){value, value + length}, &number) && is_within(check, number);
}

bool core_time_check_dropped(void *context, const char *value, size_t length)
{
    double number;
    (void)context;
    return read_count((struct json){value, value + length}, &number) && number <= UINT32_MAX;
}

/* The next value of an array or an object. */
static bool take_value(struct json *rest, struct json *value)
{
    const char *end = rest->at < rest->end ? json_value_end(rest->at, rest->end) : NULL;
    if (end == NULL)
        return false;
    *value = (struct json){rest->at, end};
    rest->at = end;
    return true;
}

/* ["YYYY-MM-DD",1.5] */
static bool take_pair(struct core_time_check *check, struct json *rest)
{
    struct json day, seconds;
    double number;
    if (!take_char(rest, '[') || !take_value(rest, &day) || !take_char(rest, ',') ||
        !take_value(rest, &seconds) || !take_char(rest, ']') || !is_day(check, day) ||
        !read_number(seconds, &number))
        return false;
    check->told.run_days += number;
    return true;
}

/* Takes a whole list of what `take` takes. */
static bool take_list(struct core_time_check *check, struct json rest,
                      bool (*take)(struct core_time_check *check, struct json *rest))
{
    if (!take_char(&rest, '['))
        return false;
    do {
        if (!take(check, &rest))
            return false;
    } while (take_char(&rest, ','));
    return take_char(&rest, ']') && rest.at == rest.end;
}

bool core_time_check_days(void *context, const char *value, size_t length)
{
    struct core_time_check *check = context;
    struct json list = {value, value + length};
    if (is_text(list, "[]"))
        return true;
    return take_list(check, list, take_pair) &&
           is_within(check, check->taken.run_days + check->told.run_days);
}

enum { ROW_CORE_SECONDS = 1, ROW_DAY = 2, ROW_RUNS = 4, ROW_TASKS = 8 };

/* The value of a row's key, each key once; as no reader can take another one for it, keys have no
 * escapes. */
static bool take_member(struct core_time_check *check, struct json *rest, unsigned *seen)
{
    struct json key = {rest->at, rest->at < rest->end ? json_key_end(rest->at, rest->end) : NULL};
    struct json value;
    if (key.end == NULL || memchr(key.at, '\\', (size_t)(key.end - key.at)) != NULL)
        return false;
    rest->at = key.end;
    unsigned bit = is_text(key, "\"core_seconds\":") ? ROW_CORE_SECONDS
                   : is_text(key, "\"day\":")        ? ROW_DAY
                   : is_text(key, "\"runs\":")       ? ROW_RUNS
                   : is_text(key, "\"tasks\":")      ? ROW_TASKS
                                                     : 0;
    if (!take_value(rest, &value) || (*seen & bit) != 0)
        return false;
    *seen |= bit;
    struct core_time_sums *told = &check->told;
    double number;
    if (bit == 0 || bit == ROW_DAY)
        return bit == 0 || is_day(check, value);
    bool is_read =
        bit == ROW_CORE_SECONDS ? read_number(value, &number) : read_count(value, &number);
    if (is_read)
        *(bit == ROW_CORE_SECONDS ? &told->rows
          : bit == ROW_RUNS       ? &told->row_runs
                                  : &told->row_tasks) += number;
    return is_read;
}

static bool take_row(struct core_time_check *check, struct json *rest)
{
    unsigned seen = 0;
    if (!take_char(rest, '{'))
        return false;
    do {
        if (!take_member(check, rest, &seen))
            return false;
    } while (take_char(rest, ','));
    const unsigned needed = ROW_CORE_SECONDS | ROW_DAY;
    return take_char(rest, '}') && (seen & needed) == needed;
}

bool core_time_check_rows(void *context, const char *value, size_t length)
{
    struct core_time_check *check = context;
    struct json list = {value, value + length};
    if (is_text(list, "[]"))
        return true;
    return take_list(check, list, take_row) &&
           is_within(check, check->taken.rows + check->told.rows) &&
           check->taken.row_runs + check->told.row_runs <= check->most_row_runs &&
           check->taken.row_tasks + check->told.row_tasks <= check->most_row_tasks;
}

void core_time_check_end(struct core_time_check *check, bool is_taken)
{
    if (is_taken) {
        check->taken.runs += check->told.runs;
        check->taken.run_days += check->told.run_days;
        check->taken.rows += check->told.rows;
        check->taken.row_runs += check->told.row_runs;
        check->taken.row_tasks += check->told.row_tasks;
    }
    check->told = (struct core_time_sums){.runs = 0};
}
