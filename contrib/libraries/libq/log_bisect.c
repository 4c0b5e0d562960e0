/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/log_bisect.h"

#include "contrib/libraries/libq/line_read.h"

enum { STEP = 16 << 10, NEAR = 64 << 10, MINUTE_S = 60, SAMPLES = 32 };

struct search {
    int fd;
    off_t base;
    struct library_days *days;
    int64_t low_s, high_s; /* what lines that are yet to be looked at can have */
    bool is_unsorted;
};

/* The first line with a date that begins from `from` on and before `to`. Returns 1; 0: there is
 * none; or -errno. */
static int find_line(const struct search *search, off_t from, off_t to, off_t *place,
                     struct library_date *date)
{
    CLEANUP_LINES struct line_reader reader = {0};
    struct line_piece piece;
    int found = line_reader_seek(&reader, search->fd, search->base, from, STEP);
    if (found != 0)
        return found;
    while ((found = line_next(&reader, &piece)) > 0 && piece.place < to) {
        if (piece.begins &&
            library_date_read(search->days, piece.at, piece.at + piece.size, date) != 0) {
            *place = piece.place;
            return 1;
        }
    }
    return found < 0 ? found : 0;
}

/* Of the lines with a date, those that begin before `*low` are older than `time_s`, and those from
 * `*high` on are not: but for what the caller allows for. */
static int narrow(struct search *search, int64_t time_s, off_t *low, off_t *high)
{
    while (*high - *low > NEAR && !search->is_unsorted) {
        off_t middle = *low + (*high - *low) / 2, place = 0;
        struct library_date date;
        int found = find_line(search, middle, *high, &place, &date);
        if (found < 0)
            return found;
        if (found == 0) {
            *high = middle;
            continue;
        }
        search->is_unsorted = date.last_s < search->low_s || date.first_s > search->high_s;
        if (date.first_s < time_s) {
            *low = place + 1;
            search->low_s = date.first_s - LOG_BACK_S;
        } else {
            *high = middle;
            search->high_s = date.last_s + LOG_BACK_S;
        }
    }
    return 0;
}

/* Takes a line that is behind all that were taken before. */
static void take_in_order(struct search *search, const struct library_date *date)
{
    search->is_unsorted |= date->last_s < search->low_s;
    if (date->first_s - LOG_BACK_S > search->low_s)
        search->low_s = date->first_s - LOG_BACK_S;
}

/* Looks at lines all over the file, and at all of the last ones. Parts of it that are not in their
 * place, as those of a clock that was wrong for a while, show here, unless they are small. */
static int survey(struct search *search, off_t size)
{
    off_t place = search->base;
    for (int i = 0; i < SAMPLES; i++) {
        place = search->base + (size - search->base) / SAMPLES * i;
        struct library_date date;
        int found = find_line(search, place, size, &place, &date);
        if (found < 0)
            return found;
        if (found > 0)
            take_in_order(search, &date);
    }
    CLEANUP_LINES struct line_reader reader = {0};
    struct line_piece piece;
    int found = line_reader_seek(&reader, search->fd, search->base,
                                 place > size - NEAR ? place : size - NEAR, STEP);
    if (found != 0)
        return found;
    while ((found = line_next(&reader, &piece)) > 0 && piece.place < size) {
        struct library_date date;
        if (piece.begins && library_date_read(search->days, piece.at, piece.at + piece.size, &date))
            take_in_order(search, &date);
    }
    return found < 0 ? found : 0;
}

/* Lines are in the order of some time, and what the first second of a line's date says of that errs
 * by LOG_BACK_S and by the width of the date: a minute, and what clocks are set back. */
int log_bisect(int fd, off_t base, off_t size, const struct date_range *range,
               struct library_days *days, struct log_part *part)
{
    struct log_part found = {base, INT64_MAX, false};
    struct search search = {fd, base, days, INT64_MIN, INT64_MAX, false};
    int error = survey(&search, size);
    search.low_s = INT64_MIN;
    if (error == 0 && range->first_s != INT64_MIN) {
        int64_t width_s = date_range_set_back(range->first_s) + MINUTE_S;
        off_t high = size;
        error = narrow(&search, range->first_s - LOG_BACK_S - 2 * width_s, &found.from, &high);
    }
    if (error == 0 && range->last_s != INT64_MAX) {
        int64_t width_s = date_range_set_back(range->last_s) + MINUTE_S;
        off_t low = found.from, high = size;
        search.high_s = INT64_MAX;
        error = narrow(&search, range->last_s + LOG_BACK_S + width_s + 1, &low, &high);
        found.to = high == size ? INT64_MAX : high;
    }
    found.is_unsorted = search.is_unsorted;
    if (error == 0)
        *part = found;
    return error;
}
