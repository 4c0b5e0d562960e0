/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_date.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400, YEAR_MAX = 9999 };

static const char month_names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char weekday_names[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

struct cursor {
    const char *at, *end;
};

/* What was read. What is missing is -1. */
struct date_fields {
    int year, month, day, hour, minute, second, weekday;
    bool has_offset;
    int32_t offset_s; /* east of UTC */
};

/* Days from 1970-01-01 to a date of the proleptic Gregorian calendar; the month may be 13. */
static int32_t day_number(int year, int month, int day)
{
    int from_march = (month + 9) % 12;
    int y = year + (month - 1) / 12 - (from_march >= 10);
    int of_year = (153 * from_march + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

void library_date_of_day(int32_t day, int *year, int *month, int *weekday)
{
    time_t at = (time_t)day * DAY_S;
    struct tm date = {0};
    gmtime_r(&at, &date);
    *year = date.tm_year + 1900;
    *month = date.tm_mon + 1;
    *weekday = date.tm_wday;
}

static int local_time(int64_t time_s, struct tm *local)
{
    time_t at = (time_t)time_s;
    if (localtime_r(&at, local) == NULL || local->tm_year < 1 - 1900 ||
        local->tm_year > YEAR_MAX - 1900)
        return -ERANGE;
    return 0;
}

int library_date_old(int64_t time_s, char text[LIBRARY_DATE_SIZE])
{
    struct tm local;
    int error = local_time(time_s, &local);
    if (error == 0)
        snprintf(text, LIBRARY_DATE_SIZE, "%s_%s_%02d_%04d_%02d:%02d", weekday_names[local.tm_wday],
                 month_names[local.tm_mon], local.tm_mday, local.tm_year + 1900, local.tm_hour,
                 local.tm_min);
    return error;
}

int library_date_iso(int64_t time_s, char text[LIBRARY_DATE_SIZE])
{
    struct tm local;
    int error = local_time(time_s, &local);
    if (error != 0)
        return error;
    long minutes = labs(local.tm_gmtoff) / MINUTE_S;
    snprintf(text, LIBRARY_DATE_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d",
             local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min,
             local.tm_sec, local.tm_gmtoff < 0 ? '-' : '+', (int)(minutes / 60),
             (int)(minutes % 60));
    return 0;
}

static int32_t offset_at(int64_t time_s)
{
    time_t at = (time_t)time_s;
    struct tm local;
    return localtime_r(&at, &local) == NULL ? 0 : (int32_t)local.tm_gmtoff;
}

static const struct library_day *look_up(struct library_days *days, int32_t day)
{
    struct library_day *found = &days->day[(uint32_t)day % LIBRARY_DATE_DAYS];
    if (found->is_known && found->day == day)
        return found;
    int64_t start_s = (int64_t)day * DAY_S;
    *found = (struct library_day){
        .is_known = true, .is_even = true, .day = day, .offset_s = offset_at(start_s)};
    /* offsets are of less than a day */
    for (int i = -2; i <= 4; i++)
        found->is_even &= offset_at(start_s + i * (DAY_S / 2)) == found->offset_s;
    return found;
}

/* The same as from_clock(), where offsets change nearby. Lines of a log mostly have the minutes of
 * those before them, so what was found is kept. */
static const struct library_clock *look_closer(struct library_days *days, int64_t clock_s)
{
    struct library_clock *found = &days->clock[(uint64_t)clock_s / 30 % LIBRARY_DATE_DAYS];
    if (found->is_known && found->clock_s == clock_s)
        return found;
    found->is_known = false;
    for (int i = -2; i <= 2; i++) {
        int64_t time_s = clock_s - offset_at(clock_s + i * (DAY_S / 2));
        if (time_s + offset_at(time_s) != clock_s)
            continue;
        if (!found->is_known || time_s < found->first_s)
            found->first_s = time_s;
        if (!found->is_known || time_s > found->last_s)
            found->last_s = time_s;
        found->is_known = true;
    }
    if (!found->is_known)
        found->first_s = found->last_s = clock_s - offset_at(clock_s - DAY_S);
    found->is_known = true;
    found->clock_s = clock_s;
    return found;
}

/* The first and the last time at which local clocks show `clock_s` seconds after their
 * 1970-01-01. */
static void from_clock(struct library_days *days, int64_t clock_s, int64_t *first_s,
                       int64_t *last_s)
{
    int32_t number = (int32_t)((clock_s - (clock_s % DAY_S + DAY_S) % DAY_S) / DAY_S);
    const struct library_day *day = look_up(days, number);
    *first_s = *last_s = clock_s - day->offset_s;
    if (day->is_even)
        return;
    const struct library_clock *closer = look_closer(days, clock_s);
    *first_s = closer->first_s;
    *last_s = closer->last_s;
}

static bool take(struct cursor *cursor, char byte)
{
    bool is_there = cursor->at < cursor->end && *cursor->at == byte;
    cursor->at += is_there;
    return is_there;
}

/* `digits` digits, a number from `least` to `most`. */
static bool take_number(struct cursor *cursor, int digits, int least, int most, int *number)
{
    int found = 0;
    if (cursor->end - cursor->at < digits)
        return false;
    for (int i = 0; i < digits; i++) {
        if (cursor->at[i] < '0' || cursor->at[i] > '9')
            return false;
        found = 10 * found + (cursor->at[i] - '0');
    }
    if (found < least || found > most)
        return false;
    cursor->at += digits;
    *number = found;
    return true;
}

/* One of `count` names, and the underline after it. */
static bool take_name(struct cursor *cursor, const char (*names)[4], int count, int *index)
{
    if (cursor->end - cursor->at < 4 || cursor->at[3] != '_')
        return false;
    for (int i = 0; i < count; i++) {
        if (((cursor->at[0] ^ names[i][0]) & ~0x20) == 0 &&
            strncasecmp(cursor->at, names[i], 3) == 0) {
            cursor->at += 4;
            *index = i;
            return true;
        }
    }
    return false;
}

/* HH[:MM[:SS[.FRACTION]]]; a second of 60 is a leap second. */
static bool take_time(struct cursor *cursor, struct date_fields *fields)
{
    if (!take_number(cursor, 2, 0, 23, &fields->hour))
        return false;
    if (!take(cursor, ':'))
        return true;
    if (!take_number(cursor, 2, 0, 59, &fields->minute))
        return false;
    if (!take(cursor, ':'))
        return true;
    if (!take_number(cursor, 2, 0, 60, &fields->second))
        return false;
    const char *digits = cursor->at + 1;
    if (take(cursor, '.'))
        while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
            cursor->at++;
    return cursor->at != digits;
}

/* [Www_]Mmm_[DD_]YYYY[_TIME]; no day after a weekday is none. */
static bool take_old(struct cursor *cursor, struct date_fields *fields)
{
    bool has_weekday = take_name(cursor, weekday_names, 7, &fields->weekday);
    if (!take_name(cursor, month_names, 12, &fields->month))
        return false;
    fields->month++;
    if (cursor->end - cursor->at > 2 && cursor->at[2] == '_') {
        if (!take_number(cursor, 2, 1, 31, &fields->day))
            return false;
        cursor->at++;
    }
    if (!take_number(cursor, 4, 1, YEAR_MAX, &fields->year))
        return false;
    if (fields->day < 0)
        return !has_weekday;
    return !take(cursor, '_') || take_time(cursor, fields);
}

/* Z, or +HH, +HHMM, +HH:MM; nothing is none. */
static bool take_offset(struct cursor *cursor, struct date_fields *fields)
{
    int hours, minutes = 0;
    if (take(cursor, 'Z')) {
        fields->has_offset = true;
        return true;
    }
    bool is_west = take(cursor, '-');
    if (!is_west && !take(cursor, '+'))
        return true;
    if (!take_number(cursor, 2, 0, 23, &hours))
        return false;
    bool has_colon = take(cursor, ':');
    if (!take_number(cursor, 2, 0, 59, &minutes) && has_colon)
        return false;
    fields->has_offset = true;
    fields->offset_s = (hours * HOUR_S + minutes * MINUTE_S) * (is_west ? -1 : 1);
    return true;
}

/* YYYY[-MM[-DD[(T| )TIME[OFFSET]]]]. What follows a blank may be no time at all. */
static bool take_iso(struct cursor *cursor, struct date_fields *fields)
{
    if (!take_number(cursor, 4, 1, YEAR_MAX, &fields->year))
        return false;
    if (!take(cursor, '-'))
        return true;
    if (!take_number(cursor, 2, 1, 12, &fields->month))
        return false;
    if (!take(cursor, '-'))
        return true;
    if (!take_number(cursor, 2, 1, 31, &fields->day))
        return false;
    if (take(cursor, 'T'))
        return take_time(cursor, fields) && take_offset(cursor, fields);
    struct cursor blank = *cursor;
    struct date_fields with_time = *fields;
    if (take(&blank, ' ') && take_time(&blank, &with_time) && with_time.minute >= 0 &&
        take_offset(&blank, &with_time)) {
        *cursor = blank;
        *fields = with_time;
    }
    return true;
}

/* What the fields span: from the returned second on local clocks, `*size_s` seconds. */
static int64_t span(const struct date_fields *fields, int64_t *size_s)
{
    int month = fields->month < 0 ? 1 : fields->month, day = fields->day < 0 ? 1 : fields->day;
    int32_t first = day_number(fields->year, month, day), after = first + 1;
    if (fields->month < 0)
        after = day_number(fields->year + 1, 1, 1);
    else if (fields->day < 0)
        after = day_number(fields->year, month + 1, 1);
    *size_s = fields->hour < 0     ? (int64_t)(after - first) * DAY_S
              : fields->minute < 0 ? HOUR_S
              : fields->second < 0 ? MINUTE_S
                                   : 1;
    int clock_s = (fields->hour < 0 ? 0 : fields->hour * HOUR_S) +
                  (fields->minute < 0 ? 0 : fields->minute * MINUTE_S) +
                  (fields->second < 0 ? 0 : fields->second);
    return (int64_t)first * DAY_S + clock_s;
}

static int fill_in(struct library_days *days, const struct date_fields *fields,
                   struct library_date *date)
{
    int64_t size_s, unused;
    if (fields->day > 28 && fields->day > day_number(fields->year, fields->month + 1, 1) -
                                              day_number(fields->year, fields->month, 1))
        return -EINVAL;
    int64_t start_s = span(fields, &size_s);
    int32_t day = day_number(fields->year, fields->month < 0 ? 1 : fields->month,
                             fields->day < 0 ? 1 : fields->day);
    *date = (struct library_date){
        .day = day,
        .has_time = fields->hour >= 0,
        .has_day = fields->day >= 0,
        .is_not_weekday = fields->weekday >= 0 && fields->weekday != ((day + 4) % 7 + 7) % 7,
    };
    if (!fields->has_offset) {
        from_clock(days, start_s, &date->first_s, &unused);
        from_clock(days, start_s + size_s - 1, &unused, &date->last_s);
        return 0;
    }
    date->first_s = start_s - fields->offset_s;
    date->last_s = date->first_s + size_s - 1;
    int64_t clock_s = date->first_s + offset_at(date->first_s);
    date->day = (int32_t)((clock_s - (clock_s % DAY_S + DAY_S) % DAY_S) / DAY_S);
    return 0;
}

/* The length of the date with which the text begins, and whether it is one in `*error`. */
static size_t read_date(struct library_days *days, const char *at, const char *end,
                        struct library_date *date, int *error)
{
    struct cursor cursor = {at, end};
    struct date_fields fields = {
        .year = -1, .month = -1, .day = -1, .hour = -1, .minute = -1, .second = -1, .weekday = -1};
    bool is_iso = at < end && *at >= '0' && *at <= '9';
    bool is_date = is_iso ? take_iso(&cursor, &fields) : take_old(&cursor, &fields);
    *error = is_date ? fill_in(days, &fields, date) : -EINVAL;
    return (size_t)(cursor.at - at);
}

int library_date_parse(struct library_days *days, const char *text, size_t size,
                       struct library_date *date)
{
    struct library_date found;
    int error;
    size_t length = read_date(days, text, text + size, &found, &error);
    if (error == 0 && length != size)
        error = -EINVAL;
    if (error == 0)
        *date = found;
    return error;
}

/* What may not follow a date. */
static bool is_of_word(char byte)
{
    return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
           byte == '_' || byte == ':' || byte == '-' || byte == '+';
}

/* "Mon_Mar_06_1995_07:00" of the day that was read last. Returns its length; 0: look closer. */
static size_t read_latest(const struct library_days *days, const char *at, const char *end,
                          struct library_date *date)
{
    struct cursor cursor = {at + LIBRARY_DATE_DAY, end};
    int hour, minute;
    if (!days->latest_day.has_day || end - at <= LIBRARY_DATE_DAY ||
        memcmp(at, days->latest, LIBRARY_DATE_DAY) != 0 || !take_number(&cursor, 2, 0, 23, &hour) ||
        !take(&cursor, ':') || !take_number(&cursor, 2, 0, 59, &minute) ||
        (cursor.at < end && is_of_word(*cursor.at)))
        return 0;
    *date = days->latest_day;
    date->first_s += hour * HOUR_S + minute * MINUTE_S;
    date->last_s = date->first_s + MINUTE_S - 1;
    date->has_time = true;
    return (size_t)(cursor.at - at);
}

/* Keeps a day of the form "Mon_Mar_06_1995_" that is even. */
static void keep_latest(struct library_days *days, const char *at, size_t length,
                        const struct library_date *date)
{
    const struct library_day *day = &days->day[(uint32_t)date->day % LIBRARY_DATE_DAYS];
    if (length <= LIBRARY_DATE_DAY || at[LIBRARY_DATE_DAY - 1] != '_' || !day->is_known ||
        day->day != date->day || !day->is_even)
        return;
    memcpy(days->latest, at, LIBRARY_DATE_DAY);
    days->latest_day = *date;
    days->latest_day.first_s = (int64_t)date->day * DAY_S - day->offset_s;
}

size_t library_date_read(struct library_days *days, const char *at, const char *end,
                         struct library_date *date)
{
    struct library_date found;
    int error;
    size_t length = read_latest(days, at, end, date);
    if (length != 0)
        return length;
    length = read_date(days, at, end, &found, &error);
    if (error != 0 || !found.has_day || (at + length < end && is_of_word(at[length])))
        return 0;
    keep_latest(days, at, length, &found);
    *date = found;
    return length;
}
