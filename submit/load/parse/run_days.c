/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/run_days.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/days.h"
#include "conf/base/grow.h"

#define DATE_SIZE        10    /* YYYY-MM-DD */
#define DAYS_MAX         36525 /* a hundred years */
#define MAX_CORE_SECONDS 1e11  /* as of all numbers of records */

static const char wrong[] = "slurmT.core_days is not an array of dates and core seconds";

/* Takes `token` from the text. */
static bool take_token(struct json_slice *text, const char *token)
{
    size_t size = strlen(token);
    if (text->size < size || memcmp(text->at, token, size) != 0)
        return false;
    text->at += size;
    text->size -= size;
    return true;
}

/* days_parse(), for records of which many are of one day. */
static int parse_date(const char date[DATE_SIZE], int32_t *day)
{
    static _Thread_local char last[DAYS_TEXT_SIZE];
    static _Thread_local int32_t last_day;
    if (memcmp(date, last, DATE_SIZE) != 0) {
        char text[DAYS_TEXT_SIZE] = "";
        memcpy(text, date, DATE_SIZE);
        if (days_parse(text, &last_day) != 0)
            return -EINVAL;
        memcpy(last, text, sizeof last);
    }
    *day = last_day;
    return 0;
}

/* Takes ["YYYY-MM-DD",SECONDS] from the text. */
static bool take_pair(struct json_slice *text, struct run_day *day)
{
    char *end;
    if (!take_token(text, "[\"") || text->size <= DATE_SIZE || parse_date(text->at, &day->day) != 0)
        return false;
    text->at += DATE_SIZE;
    text->size -= DATE_SIZE;
    if (!take_token(text, "\","))
        return false;
    day->core_seconds = strtod(text->at, &end);
    size_t size = (size_t)(end - text->at);
    if (size == 0 || size > text->size)
        return false;
    text->at = end;
    text->size -= size;
    return day->core_seconds >= 0 && day->core_seconds <= MAX_CORE_SECONDS && take_token(text, "]");
}

static int add_day(struct run_days *days, const struct run_day *day)
{
    if (days->count == 0)
        days->first = *day;
    if (days->count == 1) {
        int error = GROW(days->list, 0);
        if (error != 0)
            return error;
        days->list[0] = days->first;
    }
    if (days->count > 0) {
        int error = GROW(days->list, days->count);
        if (error != 0)
            return error;
        days->list[days->count] = *day;
    }
    days->count++;
    days->sum += day->core_seconds;
    return 0;
}

static int read_days(struct json_slice text, struct run_days *days, struct load_reason *reason)
{
    if (!take_token(&text, "["))
        return load_refuse(reason, "%s", wrong);
    while (!take_token(&text, "]")) {
        struct run_day day;
        if ((days->count > 0 && !take_token(&text, ",")) || !take_pair(&text, &day))
            return load_refuse(reason, "%s", wrong);
        const struct run_day *last =
            days->list == NULL ? &days->first : days->list + days->count - 1;
        if (days->count > 0 && day.day <= last->day)
            return load_refuse(reason, "slurmT.core_days does not ascend");
        if (days->count == DAYS_MAX)
            return load_refuse(reason, "slurmT.core_days has more than %d days", DAYS_MAX);
        int error = add_day(days, &day);
        if (error != 0)
            return error;
    }
    return text.size == 0 ? 0 : load_refuse(reason, "%s", wrong);
}

int run_days_read(struct json_slice text, struct run_days *days, struct load_reason *reason)
{
    *days = (struct run_days){0};
    int error = read_days(text, days, reason);
    if (error != 0)
        run_days_free(days);
    return error;
}

void run_days_free(struct run_days *days)
{
    free(days->list);
    *days = (struct run_days){0};
}
