/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/log_scan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "contrib/libraries/libq/log_bisect.h"
#include "contrib/libraries/library_log.h"

struct scan {
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
static int read_head(struct scan *scan, int fd, off_t base)
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
static int find_part(struct scan *scan, int fd, off_t base)
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
static bool judge(struct scan *scan, const struct line_piece *piece, struct library_date *date)
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
static int take(struct scan *scan, const struct line_piece *piece, enum log_verdict *verdict)
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
    struct scan scan = {.query = query, .visit = visit, .context = context, .latest_s = INT64_MIN};
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
