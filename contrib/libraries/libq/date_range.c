/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/date_range.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum { HOUR_S = 3600, ISO_DAY = 10 };

/* The text of the day of `time_s`, or with its time. */
static int read_words(struct library_days *days, int64_t time_s, bool has_time,
                      struct library_date *date)
{
    char text[LIBRARY_DATE_SIZE];
    int error = library_date_iso(time_s, text);
    return error != 0 ? error
                      : library_date_parse(days, text, has_time ? strlen(text) : ISO_DAY, date);
}

static int read_bound(struct library_days *days, const char *text, struct library_date *date)
{
    time_t now = time(NULL);
    if (strcmp(text, "now") == 0)
        return read_words(days, now, true, date);
    bool is_yesterday = strcmp(text, "yesterday") == 0;
    if (is_yesterday || strcmp(text, "today") == 0) {
        int error = read_words(days, now, false, date);
        return error != 0 || !is_yesterday ? error
                                           : read_words(days, date->first_s - 1, false, date);
    }
    int error = library_date_parse(days, text, strlen(text), date);
    return error == 0 && date->is_not_weekday ? -EINVAL : error;
}

int date_range_read(struct library_days *days, const char *first, const char *last,
                    struct date_range *range, const char **wrong)
{
    struct date_range found = {INT64_MIN, INT64_MAX, 1};
    struct library_date date;
    int year, weekday;
    *wrong = first;
    if (first != NULL) {
        if (read_bound(days, first, &date) != 0)
            return -EINVAL;
        found.first_s = date.first_s;
        library_date_of_day(date.day, &year, &found.first_month, &weekday);
    }
    *wrong = last;
    if (last != NULL) {
        if (read_bound(days, last, &date) != 0)
            return -EINVAL;
        found.last_s = date.last_s;
    }
    if (found.last_s < found.first_s)
        return -ERANGE;
    *range = found;
    return 0;
}

int64_t date_range_set_back(int64_t time_s)
{
    long before = 0;
    int64_t most = 0;
    for (int hour = -48; hour <= 48; hour++) {
        time_t at = (time_t)time_s + hour * HOUR_S;
        struct tm local;
        if (localtime_r(&at, &local) == NULL)
            continue;
        if (hour > -48 && before - local.tm_gmtoff > most)
            most = before - local.tm_gmtoff;
        before = local.tm_gmtoff;
    }
    return most;
}
