/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_date.h"

#include <locale.h>
#include <time.h>

#include "conf/base/days.h"
#include "test/unit/fixture/cases.h"

static struct library_days days;

static void use_zone(const char *zone)
{
    assert_int_equal(days_use_zone(zone), 0);
    memset(&days, 0, sizeof days);
}

static struct library_date parsed(const char *text)
{
    struct library_date date;
    if (library_date_parse(&days, text, strlen(text), &date) != 0)
        fail_msg("%s was refused", text);
    return date;
}

static void assert_span(const char *text, int64_t first_s, int64_t last_s)
{
    struct library_date date = parsed(text);
    if (date.first_s != first_s || date.last_s != last_s)
        fail_msg("%s: %lld to %lld, not %lld to %lld", text, (long long)date.first_s,
                 (long long)date.last_s, (long long)first_s, (long long)last_s);
}

TEST(a_time_is_written_in_the_old_form_and_as_iso)
{
    char text[LIBRARY_DATE_SIZE];
    use_zone("America/Los_Angeles");
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is not there, the test is a weaker one */
    assert_int_equal(library_date_old(794502000, text), 0);
    assert_string_equal(text, "Mon_Mar_06_1995_07:00");
    assert_int_equal(library_date_iso(794502005, text), 0);
    assert_string_equal(text, "1995-03-06T07:00:05-08:00");
    use_zone("Asia/Kathmandu");
    assert_int_equal(library_date_iso(794502005, text), 0);
    assert_string_equal(text, "1995-03-06T20:45:05+05:45");
    assert_int_equal(library_date_old(INT64_MAX, text), -ERANGE);
    assert_int_equal(library_date_iso(INT64_C(253402300800), text), -ERANGE); /* year 10000 */
    assert_int_equal(library_date_iso(INT64_C(-62135683200) - 86400, text), -ERANGE);
}

TEST(what_is_incomplete_means_the_whole_of_it)
{
    use_zone("UTC");
    assert_span("Mon_Mar_06_1995_07:00", 794473200, 794473259);
    assert_span("mON_mAR_06_1995_07:00:05", 794473205, 794473205);
    assert_span("Mar_06_1995_07", 794473200, 794476799);
    assert_span("Mon_Mar_06_1995", 794448000, 794534399);
    assert_span("Mar_1995", 794016000, 796694399);
    assert_span("1995", 788918400, 820454399);
    assert_span("1995-03", 794016000, 796694399);
    assert_span("1995-12", 817776000, 820454399);
    assert_span("1995-03-06", 794448000, 794534399);
    assert_span("1995-03-06T07", 794473200, 794476799);
    assert_span("1995-03-06T07:00", 794473200, 794473259);
    assert_span("1995-03-06 07:00", 794473200, 794473259);
    assert_span("1995-03-06T07:00:05", 794473205, 794473205);
    assert_span("1995-03-06T07:00:05.999", 794473205, 794473205);
    assert_span("2000-02-29", 951782400, 951868799);
    assert_span("1969-12-31T23:59", -60, -1);
    assert_span("2016-12-31T23:59:60Z", 1483228800, 1483228800);
}

TEST(an_offset_is_that_of_the_time_and_the_day_is_the_local_one)
{
    use_zone("America/Los_Angeles");
    assert_span("1995-03-06T07:00Z", 794473200, 794473259);
    assert_span("1995-03-06T07:00:05+01:00", 794469605, 794469605);
    assert_span("1995-03-06T07:00:05+0100", 794469605, 794469605);
    assert_span("1995-03-06 07:00:05-01", 794476805, 794476805);
    assert_int_equal(parsed("1995-03-06T07:00Z").day, 794473200 / 86400 - 1);
    assert_int_equal(parsed("1995-03-06T08:00Z").day, 794473200 / 86400);
}

TEST(what_is_no_date_is_refused)
{
    static const char *const texts[] = {
        "",
        "Mon",
        "Mon_",
        "Mon_Mar",
        "Mon_Mar_06",
        "Mon_Mar_06_95",
        "Mon_Mar_1995",
        "Mon_Mar_6_1995",
        "Moy_Mar_06_1995_07:00",
        "Mon_Mär_06_1995_07:00",
        "Mon_Mar_06_1995_",
        "Mon_Mar_06_1995_7:00",
        "Mon_Mar_06_1995_07:",
        "Mon_Mar_06_1995_24:00",
        "Mon_Mar_06_1995_07:60",
        "Mon_Mar_06_1995_07:00x",
        "Mon_Mar_06_1995_07:00 ",
        "Mon Mar 06 1995 07:00",
        "Feb_29_1995",
        "Apr_31_1995",
        "0000",
        "995",
        "19950",
        "1995-",
        "1995-13",
        "1995-00",
        "1995-3",
        "1995-02-29",
        "1900-02-29",
        "1995-03-00",
        "1995-03-06T",
        "1995-03-06T07:00:61",
        "1995-03-06T07:00:05.",
        "1995-03-06T07:00+",
        "1995-03-06T07:00+01:",
        "1995-03-06T07:00+24:00",
        "1995-03-06 07",
        "1995-03-06Z",
        "\x80",
    };
    struct library_date date = {.first_s = 7};
    use_zone("UTC");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (library_date_parse(&days, texts[i], strlen(texts[i]), &date) != -EINVAL)
            fail_msg("\"%s\" was taken", texts[i]);
    assert_int_equal(library_date_parse(&days, "1995\0", 5, &date), -EINVAL);
    assert_int_equal(date.first_s, 7);
}

TEST(a_wrong_weekday_is_told_and_the_date_counts)
{
    int year, month, weekday;
    use_zone("UTC");
    assert_true(parsed("Tue_Mar_06_1995_07:00").is_not_weekday);
    assert_false(parsed("Mon_Mar_06_1995_07:00").is_not_weekday);
    assert_false(parsed("Mar_06_1995_07:00").is_not_weekday);
    assert_span("Tue_Mar_06_1995_07:00", 794473200, 794473259);
    library_date_of_day(parsed("Tue_Mar_06_1995_07:00").day, &year, &month, &weekday);
    assert_int_equal(year, 1995);
    assert_int_equal(month, 3);
    assert_int_equal(weekday, 1);
}

TEST(a_local_time_that_comes_twice_can_mean_both)
{
    char text[LIBRARY_DATE_SIZE];
    use_zone("Europe/Berlin");
    for (int hour = 0; hour < 2; hour++) {
        assert_int_equal(library_date_old(1792888200 + hour * 3600, text), 0);
        assert_string_equal(text, "Sun_Oct_25_2026_02:30");
    }
    assert_span(text, 1792888200, 1792888200 + 3659);
    assert_span("2026-10-25T02:30+02:00", 1792888200, 1792888259);
    assert_span("Sun_Oct_25_2026_01:59", 1792886340, 1792886399);
    assert_span("Sun_Oct_25_2026_03:00", 1792893600, 1792893659);
    assert_span("Sun_Oct_25_2026", 1792879200, 1792879200 + 25 * 3600 - 1);
    /* 2:30 does not exist then */
    assert_span("Sun_Mar_29_2026_02:30", 1774747800, 1774747859);
    assert_span("Sun_Mar_29_2026_03:30", 1774747800, 1774747859);
    assert_span("Sun_Mar_29_2026_01:59", 1774745940, 1774745999);
}

TEST(a_text_that_was_written_is_read_as_its_minute)
{
    /* changes of half an hour, at midnight, of a whole day */
    static const char *const zones[] = {
        "UTC",          "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe",
        "Africa/Cairo", "Pacific/Apia",  "Antarctica/Troll", "Asia/Kathmandu"};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        use_zone(zones[i]);
        for (int64_t time_s = 1293840000; time_s < 1293840000 + 2 * 366 * 86400; time_s += 1740) {
            char text[LIBRARY_DATE_SIZE];
            assert_int_equal(library_date_old(time_s, text), 0);
            struct library_date date = parsed(text);
            if (date.first_s > time_s || date.last_s < time_s || date.is_not_weekday ||
                date.day != days_of((uint64_t)time_s * 1000000000u) ||
                date.last_s - date.first_s > 2 * 3600 + 59)
                fail_msg("%s: %s at %lld", zones[i], text, (long long)time_s);
            assert_int_equal(library_date_iso(time_s, text), 0);
            date = parsed(text);
            assert_int_equal(date.first_s, time_s);
            assert_int_equal(date.last_s, time_s);
        }
    }
}

TEST(all_days_of_the_calendar_are_counted)
{
    use_zone("UTC");
    for (int32_t day = -719162; day < 2932896; day += 13) {
        char text[LIBRARY_DATE_SIZE];
        assert_int_equal(library_date_old((int64_t)day * 86400, text), 0);
        assert_int_equal(parsed(text).day, day);
        assert_int_equal(parsed(text).first_s, (int64_t)day * 86400);
        assert_false(parsed(text).is_not_weekday);
    }
}

static void assert_read(const char *line, size_t length)
{
    struct library_date date;
    size_t found = library_date_read(&days, line, line + strlen(line), &date);
    if (found != length)
        fail_msg("%s: %zu, not %zu", line, found, length);
}

TEST(a_line_begins_with_a_date)
{
    use_zone("UTC");
    assert_read("Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED", 21);
    assert_read("Tue_Mar_21_1995_16:30", 21);
    assert_read("2026-11-25T23:40:05+01:00\tmrgoers", 25);
    assert_read("2026-11-25 23:40 mrgoers", 16);
    assert_read("2026-11-25 23 users", 10);
    assert_read("2026-11-25, at night", 10);
    assert_read("2026-11-25 23:40:05,123 INFO", 19);
    assert_read("Mon_Mar_06_1995_07:00x", 0);
    assert_read("Mon_Mar_06_1995_07:001", 0);
    assert_read("1995 users", 0);
    assert_read("1995-03 users", 0);
    assert_read(". . .", 0);
    assert_read(" Mon_Mar_06_1995_07:00", 0);
    assert_read("", 0);
}

TEST(a_day_that_was_read_before_makes_no_difference)
{
    static const char nothing[32] = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                    "07:00";
    static const char *const lines[] = {
        "Mon_Mar_06_1995_07:00",    "Mon_Mar_06_1995_07:01 x", "Mon_Mar_06_1995_23:59",
        "Mon_Mar_06_1995_24:00",    "Mon_Mar_06_1995_07:0",    "Mon_Mar_06_1995_07",
        "Mon_Mar_06_1995_07:00:05", "Mon_Mar_06_1995_07:00x",  "Mon_Mar_06_1995",
        "Tue_Mar_06_1995_07:00",    "Tue_Mar_06_1995_08:00",   "mon_Mar_06_1995_07:00",
        "Sun_Oct_29_1995_02:30",    "Sun_Oct_29_1995_02:31",   "1995-10-29T02:30",
    };
    struct library_date date;
    use_zone("Europe/Berlin");
    assert_int_equal(library_date_read(&days, nothing, nothing + sizeof nothing, &date), 0);
    for (size_t i = 0; i < 3 * sizeof lines / sizeof *lines; i++) {
        const char *line = lines[i * 7 % (sizeof lines / sizeof *lines)];
        struct library_days fresh = {0};
        struct library_date expected = {0};
        size_t length = library_date_read(&fresh, line, line + strlen(line), &expected);
        memset(&date, 0, sizeof date);
        assert_int_equal(library_date_read(&days, line, line + strlen(line), &date), length);
        if (length != 0 &&
            (date.first_s != expected.first_s || date.last_s != expected.last_s ||
             date.day != expected.day || date.has_time != expected.has_time ||
             date.has_day != expected.has_day || date.is_not_weekday != expected.is_not_weekday))
            fail_msg("%s is read otherwise", line);
    }
}
