/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Days, compared with what date(1) says.
 */
#include "conf/base/days.h"

#include <sys/wait.h>

#include "conf/base/sandbox.h"
#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

/* The date that date(1) tells for each quarter of an hour from `from_s` on must be that of
 * days_of(), and change where a midnight is. */
static void compare_with_date(const char *zone, uint64_t from_s, unsigned quarters)
{
    char name[] = "/tmp/days_test.XXXXXX", command[256], expected[32], text[DAYS_TEXT_SIZE];
    char before[32] = "";
    uint64_t *midnights;
    size_t count, at = 0;
    int fd = mkstemp(name);
    FILE *times = fdopen(fd, "w");
    assert_non_null(times);
    for (unsigned i = 0; i < quarters; i++)
        fprintf(times, "@%llu\n", (unsigned long long)from_s + i * 900ull);
    fclose(times);
    snprintf(command, sizeof command, "TZ=%s date -f %s +%%F", zone, name);
    FILE *dates = popen(command, "r");
    assert_non_null(dates);
    assert_int_equal(days_use_zone(zone), 0);
    assert_string_equal(days_zone(), zone);
    assert_int_equal(
        days_midnights(from_s * SECOND, (from_s + quarters * 900u) * SECOND, &midnights, &count),
        0);
    for (unsigned i = 0; i < quarters; i++) {
        uint64_t now_s = from_s + i * 900u;
        assert_non_null(fgets(expected, sizeof expected, dates));
        expected[strcspn(expected, "\n")] = '\0';
        days_text(days_of(now_s * SECOND), text);
        if (strcmp(text, expected) != 0)
            fail_msg("%s @%llu: %s, not %s", zone, (unsigned long long)now_s, text, expected);
        if (before[0] != '\0' && strcmp(before, expected) != 0) {
            assert_true(at < count);
            assert_int_equal(midnights[at], now_s * SECOND);
            at++;
        }
        strcpy(before, expected);
    }
    assert_int_equal(at, count);
    assert_int_equal(pclose(dates), 0);
    free(midnights);
    unlink(name);
}

TEST(days_are_those_of_the_zone)
{
    /* changes at 2:00 and at midnight; half and quarter hours; zones on both sides of the date
     * line; a day with 24.5 hours; times after the tables end */
    static const char *const zones[] = {
        "UTC",
        "Europe/Berlin",
        "America/Santiago",
        "Africa/Cairo",
        "Asia/Beirut",
        "Asia/Kolkata",
        "Asia/Kathmandu",
        "Pacific/Chatham",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Asia/Tehran",
        "America/New_York",
        "America/Havana",
        "Pacific/Kiritimati",
        "Etc/GMT+12",
    };
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        compare_with_date(zones[i], 1764547200 - 2 * 86400, 2 * 366 * 96); /* from 2025-11-29 on */
        compare_with_date(zones[i], UINT64_C(2240524800), 366 * 96);       /* 2041 */
    }
    compare_with_date("Pacific/Apia", 1325073600, 4 * 96); /* 2011-12-30 was none */
}

TEST(a_day_has_23_or_25_hours_where_clocks_change)
{
    uint64_t *midnights;
    size_t count;
    assert_int_equal(days_use_zone("Europe/Berlin"), 0);
    /* 2026-03-28T12:00Z to 03-31T12:00Z, and 2026-10-24 to 10-27 */
    assert_int_equal(days_midnights(1774699200 * SECOND, 1774958400 * SECOND, &midnights, &count),
                     0);
    assert_int_equal(count, 3);
    assert_int_equal(midnights[1] - midnights[0], 23 * 3600 * SECOND);
    assert_int_equal(midnights[2] - midnights[1], 24 * 3600 * SECOND);
    free(midnights);
    assert_int_equal(days_midnights(1792843200 * SECOND, 1793102400 * SECOND, &midnights, &count),
                     0);
    assert_int_equal(count, 3);
    assert_int_equal(midnights[1] - midnights[0], 25 * 3600 * SECOND);
    free(midnights);
}

/* 2026-09-06 in Santiago begins at 1:00. */
TEST(a_day_without_a_midnight_begins_later)
{
    const uint64_t begin = 1788667200 * SECOND;
    char text[DAYS_TEXT_SIZE];
    uint64_t *midnights;
    size_t count;
    assert_int_equal(days_use_zone("America/Santiago"), 0);
    days_text(days_of(begin - 1), text);
    assert_string_equal(text, "2026-09-05");
    days_text(days_of(begin), text);
    assert_string_equal(text, "2026-09-06");
    assert_int_equal(
        days_midnights(begin - 3600 * SECOND, begin + 3600 * SECOND, &midnights, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(midnights[0], begin);
    free(midnights);
}

TEST(only_midnights_between_are_given)
{
    const uint64_t midnight = 86400 * SECOND;
    static const struct {
        uint64_t start, end;
        size_t count;
    } spans[] = {
        {86400 * SECOND - 1, 86400 * SECOND, 0}, {86400 * SECOND - 1, 86400 * SECOND + 1, 1},
        {86400 * SECOND, 2 * 86400 * SECOND, 0}, {86400 * SECOND, 86400 * SECOND, 0},
        {2 * 86400 * SECOND, 86400 * SECOND, 0}, {0, 10 * 86400 * SECOND, 9},
    };
    assert_int_equal(days_use_zone("UTC"), 0);
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        uint64_t *midnights;
        size_t count;
        assert_int_equal(days_midnights(spans[i].start, spans[i].end, &midnights, &count), 0);
        assert_int_equal(count, spans[i].count);
        assert_true(count == 0 ? midnights == NULL : midnights[0] == midnight);
        free(midnights);
    }
    assert_int_equal(days_of(midnight - 1), 0);
    assert_int_equal(days_of(midnight), 1);
    assert_int_equal(days_of(UINT64_MAX), 213503);
}

TEST(dates_are_read_and_written)
{
    static const char *const bad[] = {"",           "2026-1-01",  "2026-02-30",  "2026-13-01",
                                      "2026-00-01", "2026-01-00", "2026-01-01x", "x026-01-01",
                                      "2026/01/01", "2026-01-0",  " 2026-01-01", "2025-02-29"};
    char text[DAYS_TEXT_SIZE];
    int32_t day = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (days_parse(bad[i], &day) != -EINVAL)
            fail_msg("not refused: %s", bad[i]);
    assert_int_equal(day, 0);
    assert_int_equal(days_parse("1970-01-01", &day), 0);
    assert_int_equal(day, 0);
    assert_int_equal(days_parse("1969-12-31", &day), 0);
    assert_int_equal(day, -1);
    assert_int_equal(days_parse("2026-11-23", &day), 0);
    assert_int_equal(day, 20780);
    days_text(day, text);
    assert_string_equal(text, "2026-11-23");
}

TEST(what_is_no_zone_is_refused)
{
    static const char *const bad[] = {
        "Europe",         "Europe/Berln", "Europe/",  "/etc/timezone", "../etc/passwd",
        "Europe//Berlin", "CET-1CEST",    "zone.tab", "zone1970.tab",  "Europe/Berlin\n"};
    assert_int_equal(days_use_zone("Asia/Kolkata"), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(days_has_zone(bad[i]));
        assert_int_equal(days_use_zone(bad[i]), -EINVAL);
    }
    assert_string_equal(days_zone(), "Asia/Kolkata");
    assert_string_equal(getenv("TZ"), "Asia/Kolkata");
    assert_int_equal(days_of((18 * 3600 + 1800) * SECOND), 1);
}

TEST(utc_needs_no_files)
{
    setenv("TZDIR", "/nonexistent", 1);
    assert_true(days_has_zone("UTC"));
    assert_false(days_has_zone("Europe/Berlin"));
    assert_int_equal(days_use_zone("UTC"), 0);
    assert_int_equal(days_of(86399 * SECOND), 0);
    unsetenv("TZDIR");
}

/* Whatever TZ is. Its name is what the machine's link says. */
TEST(the_machines_own_zone_is_taken_for_none)
{
    char expected[16] = "", text[DAYS_TEXT_SIZE], *link;
    setenv("TZ", "Pacific/Kiritimati", 1);
    assert_int_equal(days_use_zone(""), 0);
    assert_null(getenv("TZ"));
    link = realpath("/etc/localtime", NULL);
    if (link != NULL && strstr(link, "/zoneinfo/") != NULL)
        assert_string_equal(days_zone(), strstr(link, "/zoneinfo/") + 10);
    free(link);
    FILE *date = popen("env -u TZ date -d @1767182400 +%F", "r"); /* 2025-12-31 12:00 UTC */
    assert_non_null(fgets(expected, 11, date));
    pclose(date);
    days_text(days_of(1767182400 * SECOND), text);
    assert_string_equal(text, expected);
}

TEST(days_are_found_in_a_sandbox)
{
    int status;
    assert_int_equal(days_use_zone("America/New_York"), 0);
    pid_t child = fork();
    if (child == 0) {
        uint64_t *midnights;
        size_t count = 0;
        int error = sandbox_enter(SANDBOX_READS);
        /* now, and after the end of the zone's table */
        for (uint64_t start = 1767182400; error == 0 && start < 5000000000; start += 1000000000)
            error =
                days_midnights(start * SECOND, (start + 3 * 86400) * SECOND, &midnights, &count);
        _exit(error == 0 && count == 3 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
