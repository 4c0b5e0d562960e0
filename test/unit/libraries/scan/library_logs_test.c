/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_logs.h"

#include "conf/base/days.h"
#include "test/unit/fixture/cases.h"

static void assert_line(const struct library_change *change, bool is_new, const char *expected)
{
    char *line = NULL;
    size_t size;
    FILE *stream = open_memstream(&line, &size);
    library_log_line(stream, change, 794473200, is_new);
    fclose(stream);
    assert_string_equal(line, expected);
    free(line);
}

TEST(a_line_is_of_the_old_form_with_words_behind)
{
    struct library_change change = {
        .kind = LIBRARY_ADDED,
        .path = "/opt/a b\n\\\xff",
        .group = "",
        .is = {.size = 5,
               .modified_ns = INT64_C(792236340) * 1000000000,
               .sha1 = "ab",
               .name = "x"},
    };
    assert_int_equal(days_use_zone("UTC"), 0);
    assert_line(&change, true,
                "Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED "
                "path=/opt/a\\x20b\\x0a\\x5c\\xff size=5 sha1=ab\n");
    change.kind = LIBRARY_MOVED;
    change.from = "/x";
    change.path = "/y";
    change.group = "g";
    change.links = 2;
    change.was = change.is;
    change.was.size = 4;
    strcpy(change.was.version, "1");
    assert_line(&change, true,
                "Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LIB_MOVED path=/y from=/x size=5 "
                "sha1=ab group=g links=2 was_size=4 was_version=1\n");
    change.kind = LIBRARY_REMOVED;
    change.from = NULL;
    change.links = 0;
    assert_line(&change, false,
                "Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LIB_REMOVED path=/y size=4 sha1=ab "
                "version=1 group=g\n");
}

TEST(times_that_no_calendar_has_are_written)
{
    struct library_change change = {
        .kind = LIBRARY_ADDED, .path = "/y", .group = "", .is = {.modified_ns = -1}};
    assert_int_equal(days_use_zone("UTC"), 0);
    assert_line(&change, false,
                "Mon_Mar_06_1995_07:00 Wed_Dec_31_1969_23:59 LIB_ADDED path=/y size=0\n");
}

TEST(a_value_that_is_too_long_ends_with_a_mark)
{
    char path[2 * LIBRARY_LOG_VALUE_MAX], *line = NULL;
    size_t size;
    struct library_change change = {.kind = LIBRARY_ADDED, .path = path, .group = ""};
    memset(path, 'x', sizeof path);
    for (size_t length = LIBRARY_LOG_VALUE_MAX; length <= LIBRARY_LOG_VALUE_MAX + 1; length++) {
        path[length] = '\0';
        FILE *stream = open_memstream(&line, &size);
        library_log_line(stream, &change, 0, false);
        fclose(stream);
        assert_int_equal(strspn(strstr(line, "path=") + 5, "x"), LIBRARY_LOG_VALUE_MAX);
        assert_true((strstr(line, "x\\... size") != NULL) == (length > LIBRARY_LOG_VALUE_MAX));
        free(line);
        path[length] = 'x';
    }
}

static void assert_name(const char *library, const char *expected)
{
    char name[LIBRARY_LOG_NAME_SIZE];
    library_log_file(library, name);
    assert_string_equal(name, expected);
}

TEST(the_name_of_a_log_is_one_of_a_file_whatever_the_library_is_called)
{
    char longest[LIBRARY_TEXT_SIZE], name[LIBRARY_LOG_NAME_SIZE], other[LIBRARY_LOG_NAME_SIZE];
    assert_name("libx", "libx.log");
    assert_name("../x", "%2e.%2fx.log");
    assert_name("a%b\n", "a%25b%0a.log");
    assert_name("C++", "C++.log");
    assert_name("~user", "by-owner/user.log");
    assert_name("~../x", "by-owner/%2e.%2fx.log");
    memset(longest, '\n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    library_log_file(longest, name);
    longest[sizeof longest - 2] = 'x';
    library_log_file(longest, other);
    assert_true(strlen(name) < 255 && strcmp(name, other) != 0);
}
