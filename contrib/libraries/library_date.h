/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dates as logs about libraries have them. All are local times of the process (TZ, or the
 * machine's zone) but those of ISO 8601 that end with Z or an offset from UTC:
 *
 *     Mon_Mar_06_1995_07:00        the old form. A second may follow, as in 07:00:05. The names are
 *                                  English, whatever the locale is; when read, in any case
 *     1995-03-06T07:00:05+01:00    ISO 8601. Offset, fraction and second may be missing, and a
 *                                  blank may stand for the T
 *
 * What is incomplete means the whole of it: 07:00 a minute, Mon_Mar_06_1995 or Mar_06_1995 or
 * 1995-03-06 a day, 1995-03-06T07 an hour, Mar_1995 or 1995-03 a month, 1995 a year.
 *
 * Where clocks are set back, a local time comes twice. Both hours are written in the same way in
 * the old form, and a reader cannot tell them apart: such a text can mean either, and that is what
 * is returned. Where clocks are set forward, a local time that does not exist is what a clock
 * would show that had not been set: 02:30 is 03:30.
 *
 * A weekday that is not that of the date is reported, and changes nothing: the date counts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LIBRARY_DATE_SIZE = 80, /* room for each form that is written, with its NUL */
    LIBRARY_DATE_DAYS = 128,
    LIBRARY_DATE_DAY = sizeof "Mon_Mar_06_1995_" - 1,
};

/* What a text can mean: a time from `first_s` to `last_s`, seconds since the Epoch. */
struct library_date {
    int64_t first_s, last_s;
    int32_t day;         /* the local date with which it begins, in days since 1970-01-01 */
    bool has_time;       /* it has an hour */
    bool has_day;        /* it has a day of the month */
    bool is_not_weekday; /* it has a weekday, but not that of the date */
};

/* What has been found out about the process's time zone: {0} at first, and again where the zone
 * has changed. A day is looked up once; the one that was read last needs no look. */
struct library_days {
    struct library_day {
        bool is_known, is_even; /* even: one offset holds from the day before to the day after */
        int32_t day, offset_s;
    } day[LIBRARY_DATE_DAYS];
    struct library_clock {
        bool is_known;
        int64_t clock_s, first_s, last_s;
    } clock[LIBRARY_DATE_DAYS];    /* times of days that are not even */
    char latest[LIBRARY_DATE_DAY]; /* "Mon_Mar_06_1995_", of an even day that was read last */
    struct library_date latest_day;
};

/* Writes the old form of a time in seconds since the Epoch. Returns 0, or -ERANGE where its year is
 * not one of 1 to 9999. */
int library_date_old(int64_t time_s, char text[LIBRARY_DATE_SIZE]);

/* The same as 1995-03-06T07:00:05+01:00. */
int library_date_iso(int64_t time_s, char text[LIBRARY_DATE_SIZE]);

/* Reads all of the `size` bytes, complete or not. Returns 0; or -EINVAL where they are no date, or
 * one that does not exist. */
int library_date_parse(struct library_days *days, const char *text, size_t size,
                       struct library_date *date);

/* Reads the date with which the bytes from `at` to `end` begin, and which has a day at the least.
 * A letter, a digit or one of "_:-+" does not follow it. Returns its length; 0: there is none. */
size_t library_date_read(struct library_days *days, const char *at, const char *end,
                         struct library_date *date);

/* The local date of a day since 1970-01-01: year, month 1 to 12, weekday 0 (Sunday) to 6. */
void library_date_of_day(int32_t day, int *year, int *month, int *weekday);
