/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_log.h"

#include "conf/base/days.h"
#include "test/unit/fixture/cases.h"

TEST(a_line_has_no_date_one_or_two)
{
    static const struct {
        const char *line;
        size_t dates;
        const char *words;
    } lines[] = {
        {"Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED", 2, "LOG_CREATED"},
        {"Tue_Aug_22_1995_17:00 Tue_Aug_22_1995_16:04 LIB_MODIFIED", 2, "LIB_MODIFIED"},
        {"Mon_Mar_06_1995_17:00 LOG_CREATED", 1, "LOG_CREATED"},
        {"Tue_Mar_21_1995_16:30", 1, ""},
        {"Tue_Mar_21_1995_16:30 \t ", 1, ""},
        {"Wed_May_17_1995_08:49 L2TCG filei", 1, "L2TCG filei"},
        {"1995-05-17T08:49:05+02:00\t1995-05-16 x", 2, "x"},
        {"1995-05-17T08:49 1995-05-16 1995-05-15", 2, "1995-05-15"},
        {". . .", 0, ". . ."},
        {" Wed_May_17_1995_08:49", 0, " Wed_May_17_1995_08:49"},
        {"", 0, ""},
    };
    struct library_days days = {0};
    struct library_line line;
    assert_int_equal(days_use_zone("UTC"), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *text = lines[i].line;
        library_line_read(&days, text, text + strlen(text), &line);
        assert_int_equal(line.dates, lines[i].dates);
        assert_string_equal(line.words, lines[i].words);
    }
    const char *changed = lines[1].line;
    library_line_read(&days, changed, changed + strlen(changed), &line);
    assert_int_equal(line.date[0].first_s, 809110800);
    assert_int_equal(line.date[1].first_s, 809107440);
}

TEST(a_log_is_about_the_library_that_its_file_is_named_for)
{
    static const char *const names[][2] = {
        {"/usr/spool/logs/libimsl20.log", "imsl20"},
        {"imsl.log", "imsl"},
        {"libnag", "nag"},
        {"liblib.log", "lib"},
        {"logs/libhdf5.so.103.log", "hdf5.so.103"},
        {"libimsl.log.1", "imsl"},
        {"libimsl.log.12.gz", "imsl"},
        {"libimsl.log-20261125.zst", "imsl"},
        {"libimsl.log-20261125", "imsl"},
        {"libfftw-3", "fftw-3"},
        {"libgtk.3", "gtk.3"},
        {"lib.log", "lib"},
        {"lib", "lib"},
        {".log", ".log"},
        {"-", "-"},
        {"dir/", "dir/"},
        {"", ""},
    };
    char name[LIBRARY_NAME_SIZE], path[600];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        library_log_name(names[i][0], name);
        assert_string_equal(library_log_short(name), names[i][1]);
    }
    library_log_name("/logs/libimsl20.log.1", name);
    assert_string_equal(name, "libimsl20");
    memset(path, 'a', sizeof path);
    path[sizeof path - 1] = '\0';
    library_log_name(path, name);
    assert_int_equal(strlen(name), LIBRARY_NAME_SIZE - 1);
}

TEST(a_head_names_a_zone_or_none)
{
    static const struct {
        const char *line, *zone; /* zone: NULL: it is no head */
        bool is_sorted;
    } lines[] = {
        {"# jobtrail: sorted", "", true},
        {"# jobtrail: sorted Asia/Tokyo", "Asia/Tokyo", true},
        {"# jobtrail: unsorted", "", false},
        {"# jobtrail: unsorted Asia/Tokyo", "Asia/Tokyo", false},
        {"# jobtrail: sorted ", NULL, false},
        {"# jobtrail: sorted?", NULL, false},
        {"# jobtrail: unsorted?", NULL, false},
        {"# jobtrail: sorted Asia/Tokyo x", NULL, false},
        {"# jobtrail: sorte", NULL, false},
        {"x# jobtrail: sorted", NULL, false},
        {"# jobtrail: sorted "
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         NULL, false},
        {"", NULL, false},
    };
    char zone[DAYS_ZONE_MAX];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool is_sorted;
        bool is_head = library_log_head(lines[i].line, strlen(lines[i].line), &is_sorted, zone);
        assert_int_equal(is_head, lines[i].zone != NULL);
        assert_int_equal(is_head && is_sorted, lines[i].is_sorted);
        assert_string_equal(zone, is_head ? lines[i].zone : "");
    }
}
