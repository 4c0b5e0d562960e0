/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is found by bisection is what is found by reading all.
 */
#include "contrib/libraries/libq/log_scan.h"

#include "conf/base/cleanup.h"
#include "conf/base/days.h"
#include "contrib/libraries/library_log.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/rounds.h"

/* An hour of lines is more than the search is content with. */
enum { LINES = 20000, APART_S = 5 };

/* Half-past two comes twice in that night, in the middle of the log. */
static const int64_t night_s = 1792888200, start_s = 1792888200 - LINES / 2 * APART_S;

struct found {
    uint64_t lines, hash;
    off_t bytes;
};

static int keep(void *context, const struct line_piece *piece, const struct library_date *date)
{
    struct found *found = context;
    (void)date;
    found->lines += piece->begins;
    found->bytes += (off_t)piece->size;
    for (size_t i = 0; i < piece->size; i++)
        found->hash = found->hash * 1099511628211u ^ (unsigned char)piece->at[i];
    return 0;
}

static int stop_scan(void *context, const struct line_piece *piece, const struct library_date *date)
{
    keep(context, piece, date);
    return 1;
}

/* The log's words make its lines long enough for a bisection. */
static void add_line(FILE *log, int i, int64_t time_s)
{
    char text[LIBRARY_DATE_SIZE];
    int error = i % 5 == 0 ? library_date_iso(time_s, text) : library_date_old(time_s, text);
    assert_int_equal(error, 0);
    if (i % 50 == 0)
        fprintf(log, "a remark without a date, number %d\n", i);
    fprintf(log, "%s LSGRR ilu %d and words that make it longer\n", text, i);
}

static int opened(FILE *log)
{
    assert_int_equal(fflush(log), 0);
    int fd = dup(fileno(log));
    fclose(log);
    return fd;
}

/* A log of which a line can be older than one before it by up to `back_s` seconds. */
static int made_log(const char *head, int64_t back_s)
{
    FILE *log = tmpfile();
    assert_non_null(log);
    fputs(head, log);
    for (int i = 0; i < LINES; i++)
        add_line(log, i, start_s + i * APART_S - (back_s == 0 ? 0 : rand() % back_s));
    return opened(log);
}

static struct found scanned(int fd, enum log_order order, const struct date_range *range,
                            enum log_verdict *verdict)
{
    struct log_query query = {.range = *range, .order = order};
    struct found found = {0};
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(log_scan(fd, &query, keep, &found, verdict), 0);
    return found;
}

/* For many ranges, short and long ones, around the night and elsewhere. */
static void compare(int fd, enum log_order order, int ranges)
{
    for (int i = 0; i < ranges; i++) {
        enum log_verdict verdict;
        int64_t first_s = i % 2 == 0 ? night_s - 4 * 3600 + rand() % (8 * 3600)
                                     : start_s - 3600 + rand() % (LINES * APART_S + 7200);
        struct date_range range = {first_s, first_s + rand() % (i % 3 == 0 ? 60 : 6 * 3600), 1};
        if (i % 10 == 8)
            range.first_s = INT64_MIN;
        if (i % 10 == 9)
            range.last_s = INT64_MAX;
        struct found all = scanned(fd, LOG_UNSORTED, &range, &verdict);
        assert_int_equal(verdict, LOG_READ);
        struct found some = scanned(fd, order, &range, &verdict);
        assert_int_equal(verdict, LOG_READ);
        if (memcmp(&all, &some, sizeof all) != 0)
            fail_msg("%lld to %lld: %llu lines, not %llu", (long long)range.first_s,
                     (long long)range.last_s, (unsigned long long)some.lines,
                     (unsigned long long)all.lines);
    }
}

TEST(bisection_finds_what_reading_all_finds)
{
    static const char *const zones[] = {"Europe/Berlin", "UTC", "Antarctica/Troll"};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        assert_int_equal(days_use_zone(zones[i]), 0);
        CLEANUP_CLOSE int said = made_log(LIBRARY_LOG_SORTED, 0);
        compare(said, LOG_AS_ITS_HEAD_SAYS, rounds(100));
        CLEANUP_CLOSE int jumping = made_log("", LOG_BACK_S);
        compare(jumping, LOG_SORTED, rounds(100));
    }
}

TEST(a_range_is_found_without_reading_what_is_far_from_it)
{
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    CLEANUP_CLOSE int fd = made_log(LIBRARY_LOG_SORTED, 0);
    struct date_range range = {start_s + 600, start_s + 700, 1};
    enum log_verdict verdict;
    scanned(fd, LOG_AS_ITS_HEAD_SAYS, &range, &verdict);
    assert_true(lseek(fd, 0, SEEK_CUR) < lseek(fd, 0, SEEK_END) - LINE_ROOM);
    scanned(fd, LOG_UNSORTED, &range, &verdict);
    off_t end = lseek(fd, 0, SEEK_CUR);
    assert_int_equal(end, lseek(fd, 0, SEEK_END));
}

/* A log of which the last sixteenths come first. */
static int made_swapped(const char *head, int sixteenths)
{
    FILE *log = tmpfile();
    assert_non_null(log);
    fputs(head, log);
    for (int i = 0; i < LINES; i++)
        add_line(log, i, start_s + (i + LINES / 16 * (16 - sixteenths)) % LINES * APART_S);
    return opened(log);
}

TEST(a_log_that_does_not_say_it_is_sorted_is_read_as_a_whole)
{
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    static const char *const heads[] = {"", "x" LIBRARY_LOG_SORTED, "# jobtrail: sorted?\n",
                                        "\n" LIBRARY_LOG_SORTED};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        CLEANUP_CLOSE int fd = made_swapped(heads[i], 8);
        compare(fd, LOG_AS_ITS_HEAD_SAYS, 3);
    }
}

TEST(a_log_that_says_so_and_is_not_is_read_as_a_whole)
{
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    for (int sixteenths = 1; sixteenths < 16; sixteenths += 2) {
        CLEANUP_CLOSE int fd = made_swapped(LIBRARY_LOG_SORTED, sixteenths);
        compare(fd, LOG_AS_ITS_HEAD_SAYS, 3);
    }
}

/* A single line that is days too old is met only where it is read. */
TEST(a_line_that_is_not_in_order_is_told_where_it_is_met)
{
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    FILE *log = tmpfile();
    assert_non_null(log);
    fputs(LIBRARY_LOG_SORTED, log);
    for (int i = 0; i < LINES; i++)
        add_line(log, i, start_s + (i == 777 ? 0 : i) * APART_S);
    CLEANUP_CLOSE int fd = opened(log);
    struct date_range range = {start_s + 700 * APART_S, start_s + 800 * APART_S, 1};
    enum log_verdict verdict;
    scanned(fd, LOG_AS_ITS_HEAD_SAYS, &range, &verdict);
    assert_int_equal(verdict, LOG_NOT_IN_ORDER);
    scanned(fd, LOG_UNSORTED, &range, &verdict);
    assert_int_equal(verdict, LOG_READ);
}

TEST(what_is_compressed_is_not_read)
{
    FILE *log = tmpfile();
    assert_non_null(log);
    fwrite("\x1f\x8b\x08\0\n1995-03-06\n", 1, 16, log);
    CLEANUP_CLOSE int fd = opened(log);
    struct date_range range = {INT64_MIN, INT64_MAX, 1};
    enum log_verdict verdict = LOG_READ;
    assert_int_equal(scanned(fd, LOG_AS_ITS_HEAD_SAYS, &range, &verdict).lines, 0);
    assert_int_equal(verdict, LOG_COMPRESSED);
}

TEST(a_reader_that_has_enough_ends_the_reading)
{
    CLEANUP_CLOSE int fd = made_log("", 0);
    struct log_query query = {.range = {INT64_MIN, INT64_MAX, 1}};
    struct found found = {0};
    enum log_verdict verdict;
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(log_scan(fd, &query, stop_scan, &found, &verdict), 0);
    assert_int_equal(found.lines, 1);
    assert_int_equal(verdict, LOG_READ);
    assert_int_equal(log_scan(-1, &query, stop_scan, &found, &verdict), -EBADF);
}

TEST(a_log_is_read_from_where_the_descriptor_is)
{
    char line[128];
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    CLEANUP_CLOSE int fd = made_log(LIBRARY_LOG_SORTED, 0);
    struct log_query query = {.range = {start_s - 9000, start_s, 1}};
    struct found all = {0}, rest = {0};
    enum log_verdict verdict;
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(log_scan(fd, &query, keep, &all, &verdict), 0);
    assert_true(pread(fd, line, sizeof line, 0) > 0);
    query.order = LOG_SORTED;
    /* behind the head, the first remark and the first line */
    off_t behind = sizeof LIBRARY_LOG_SORTED - 1;
    const char *remark = memchr(line + behind, '\n', sizeof line - (size_t)behind);
    assert_non_null(remark);
    const char *newline = memchr(remark + 1, '\n', (size_t)(line + sizeof line - remark - 1));
    assert_non_null(newline);
    assert_int_equal(lseek(fd, newline - line + 1, SEEK_SET), newline - line + 1);
    assert_int_equal(log_scan(fd, &query, keep, &rest, &verdict), 0);
    assert_true(all.lines > 0);
    assert_int_equal(rest.lines, all.lines - 1);
}
