/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/log_scan.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "contrib/libraries/library_log.h"

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

/* ---- Where a date begins in a log ------------------------------------------------------------ */

enum { STEP = 16 << 10, NEAR = 64 << 10, MINUTE_S = 60, SAMPLES = 32 };

struct day_search {
    int fd;
    off_t base;
    struct library_days *days;
    int64_t low_s, high_s; /* what lines that are yet to be looked at can have */
    bool is_unsorted;
};

/* The first line with a date that begins from `from` on and before `to`. Returns 1; 0: there is
 * none; or -errno. */
static int find_line(const struct day_search *search, off_t from, off_t to, off_t *place,
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
static int narrow(struct day_search *search, int64_t time_s, off_t *low, off_t *high)
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
static void take_in_order(struct day_search *search, const struct library_date *date)
{
    search->is_unsorted |= date->last_s < search->low_s;
    if (date->first_s - LOG_BACK_S > search->low_s)
        search->low_s = date->first_s - LOG_BACK_S;
}

/* Looks at lines all over the file, and at all of the last ones. Parts of it that are not in their
 * place, as those of a clock that was wrong for a while, show here, unless they are small. */
static int survey(struct day_search *search, off_t size)
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
static int log_bisect(int fd, off_t base, off_t size, const struct date_range *range,
                      struct library_days *days, struct log_part *part)
{
    struct log_part found = {base, INT64_MAX, false};
    struct day_search search = {fd, base, days, INT64_MIN, INT64_MAX, false};
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

struct log_scan {
    struct log_query *query;
    log_visit *visit;
    void *context;
    struct log_part part;
    bool is_said_to_be_sorted, is_bisected;
    bool is_selected; /* the line that a piece is of */
    int64_t latest_s;
};

static bool is_compressed(const char *bytes, size_t size)
{
    static const struct {
        const char *bytes;
        size_t size;
    } magic[] = {{"\x1f\x8b", 2},
                 {"\xfd"
                  "7zXZ",
                  5},
                 {"\x28\xb5\x2f\xfd", 4}};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (size >= magic[i].size && memcmp(bytes, magic[i].bytes, magic[i].size) == 0)
            return true;
    /* of bzip2: a digit, and the mark of a block or of the end behind it */
    return size >= 10 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9' &&
           (memcmp(bytes + 4, "1AY&SY", 6) == 0 || memcmp(bytes + 4, "\x17rE8P\x90", 6) == 0);
}

static int use_zone(struct log_query *query, const char *zone)
{
    return query->in_zone == NULL ? 0 : query->in_zone(query, zone);
}

/* What the log's first line says, where it can be read before all others. */
static int read_head(struct log_scan *scan, int fd, off_t base)
{
    char head[LIBRARY_LOG_HEAD_MAX], zone[DAYS_ZONE_MAX] = "";
    ssize_t size = base < 0 ? 0 : io_read_at(fd, head, sizeof head, base);
    const char *newline = size <= 0 ? NULL : memchr(head, '\n', (size_t)size);
    bool is_sorted = false;
    scan->is_said_to_be_sorted =
        newline != NULL && library_log_head(head, (size_t)(newline - head), &is_sorted, zone) &&
        is_sorted;
    return use_zone(scan->query, zone);
}

/* Which part of the file is to be read. */
static int find_part(struct log_scan *scan, int fd, off_t base)
{
    struct log_query *query = scan->query;
    struct stat facts;
    scan->part = (struct log_part){.from = base, .to = INT64_MAX};
    bool has_bound = query->range.first_s != INT64_MIN || query->range.last_s != INT64_MAX;
    if (!has_bound || query->is_inverted || query->by_second || query->order == LOG_UNSORTED ||
        fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size - base <= LINE_ROOM ||
        (query->order != LOG_SORTED && !scan->is_said_to_be_sorted))
        return 0;
    struct log_part part;
    int error = log_bisect(fd, base, facts.st_size, &query->range, &query->days, &part);
    scan->is_bisected = error == 0 && !part.is_unsorted;
    if (scan->is_bisected)
        scan->part = part;
    else if (error == 0 && lseek(fd, base, SEEK_SET) < 0)
        error = -errno;
    return error;
}

/* Whether the line is asked for; its date in `*date`. Returns whether it has one. */
static bool judge(struct log_scan *scan, const struct line_piece *piece, struct library_date *date)
{
    struct log_query *query = scan->query;
    const char *end = piece->at + piece->size;
    bool has_date;
    if (query->by_second) {
        struct library_line line;
        library_line_read(&query->days, piece->at, end, &line);
        has_date = line.dates == 2;
        if (has_date)
            *date = line.date[1];
    } else {
        has_date = library_date_read(&query->days, piece->at, end, date) != 0;
    }
    scan->is_selected = (has_date && date_range_has(&query->range, date)) != query->is_inverted;
    return has_date;
}

/* One piece. Returns 0; 1: enough; or -errno. */
static int take(struct log_scan *scan, const struct line_piece *piece, enum log_verdict *verdict)
{
    struct library_date date;
    char zone[DAYS_ZONE_MAX];
    bool is_sorted;
    if (piece->begins && piece->ends &&
        library_log_head(piece->at, piece->size, &is_sorted, zone)) {
        scan->is_selected = false;
        return use_zone(scan->query, zone);
    }
    bool has_date = piece->begins && judge(scan, piece, &date);
    if (scan->is_bisected && has_date) {
        if (date.last_s < scan->latest_s) {
            *verdict = LOG_NOT_IN_ORDER;
            return 1;
        }
        if (date.first_s - LOG_BACK_S > scan->latest_s)
            scan->latest_s = date.first_s - LOG_BACK_S;
    }
    return scan->is_selected ? scan->visit(scan->context, piece, has_date ? &date : NULL) : 0;
}

int log_scan(int fd, struct log_query *query, log_visit *visit, void *context,
             enum log_verdict *verdict)
{
    struct log_scan scan = {
        .query = query, .visit = visit, .context = context, .latest_s = INT64_MIN};
    CLEANUP_LINES struct line_reader reader = {0};
    struct line_piece piece;
    enum log_verdict found = LOG_READ;
    off_t base = lseek(fd, 0, SEEK_CUR);
    int error = read_head(&scan, fd, base);
    if (error == 0 && base >= 0)
        error = find_part(&scan, fd, base);
    if (error == 0)
        error = scan.is_bisected ? line_reader_seek(&reader, fd, base, scan.part.from, LINE_ROOM)
                                 : line_reader_open(&reader, fd, 0, LINE_ROOM);
    bool is_first = !scan.is_bisected;
    while (error == 0 && (error = line_next(&reader, &piece)) > 0) {
        if (scan.is_bisected && piece.begins && piece.place >= scan.part.to)
            break;
        if (is_first && is_compressed(piece.at, piece.size)) {
            found = LOG_COMPRESSED;
            break;
        }
        is_first = false;
        error = take(&scan, &piece, &found);
    }
    if (error < 0)
        return error;
    *verdict = found;
    return 0;
}
