/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of XALT's tables as the text of records.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "submit/load/parse/load_record.h"
#include "submit/load/parse/xalt_rows.h"

enum { LINKS, RUNS, PACKAGES };

/* A row of the table with nothing but `text` in the column, and with the date. */
static void fill(struct value row[XALT_COLUMNS_MAX], size_t table, const char *column,
                 const char *text)
{
    for (size_t i = 0; i < XALT_COLUMNS_MAX; i++)
        row[i] = (struct value){.kind = VALUE_NULL};
    for (size_t i = 0; i < xalt_tables[table].count; i++)
        if (strcmp(xalt_tables[table].columns[i].key, column) == 0)
            row[XALT_ROW_REST + i] = value_text(text);
        else if (strcmp(xalt_tables[table].columns[i].key, "run_uuid") == 0)
            row[XALT_ROW_REST + i] = value_text("01a20780-552c-7165-9286-4c8f79d8a4e2");
}

static void read_run(const char *column, const char *text, struct record *record)
{
    struct value row[XALT_COLUMNS_MAX];
    struct json_text json = {0};
    struct load_reason reason;
    char *made;
    size_t size;
    fill(row, RUNS, column, text);
    xalt_record_begin(&json, &xalt_tables[RUNS], row);
    xalt_record_end(&json);
    assert_int_equal(json_text_take(&json, &made, &size), 0);
    assert_int_equal(load_record(made, size, RECORD_RUN, NULL, record, &reason), 0);
}

struct words_case {
    const char *stored, *read;
};

static void command_lines_keep_what_xalt_has_left_of_them(void **state)
{
    static const struct words_case cases[] = {
        {"[\"a\", \"b c\"]", "[\"a\", \"b c\"]"},
        {"[\"a\", \"b c", "[\"a\", \"b c\"]"},
        {"[\"a\", \"b", "[\"a\", \"b\"]"},
        {"[\"a\", \"", "[\"a\", \"\"]"},
        {"[\"a\", ", "[\"a\"]"},
        {"[\"a\"", "[\"a\"]"},
        {"[", "[]"},
        {"[\"a\\", "[\"a\"]"},
        {"[\"a\\u00", "[\"a\"]"},
        {"[\"a\\u00e", "[\"a\"]"},
        {"[\"a\\\\", "[\"a\\\\\"]"},
        {"[\"]", "[\"]\"]"},
        {"gcc  -o a", "[\"gcc\",\"-o\",\"a\"]"},
        {"say \"x\\", "[\"say\",\"\\\"x\\\\\"]"},
        {"[1, 2]", "[\"[1,\",\"2]\"]"},
        {"", "[]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record;
        read_run("cmdlineA", cases[i].stored, &record);
        struct json_object *expected = json_tokener_parse(cases[i].read),
                           *found = json_tokener_parse(record.run.cmdline);
        if (!json_object_equal(expected, found))
            print_error("%s: %s\n", cases[i].stored, record.run.cmdline);
        assert_true(json_object_equal(expected, found));
        json_object_put(expected);
        json_object_put(found);
        load_record_free(&record);
    }
}

static void texts_stay_as_they_are(void **state)
{
    static const char *const texts[] = {"/home/a b", "quote\" back\\slash", "tab\tline\n",
                                        "gr\xc3\xbc\xc3\x9f", "{\"crc\":1}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct record record;
        read_run("cwd", texts[i], &record);
        assert_string_equal(record.run.cwd, texts[i]);
        load_record_free(&record);
    }
}

static void a_start_has_the_second_of_its_date(void **state)
{
    const struct value exact = value_text("2025-10-30 23:59:59"),
                       next = value_text("2025-10-31 00:00:00"),
                       far = value_text("2025-10-31 09:00:00"), none = value_text(NULL);
    const double start = 1761868800; /* 2025-10-31 00:00:00 UTC */
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    assert_true(xalt_start(start, &exact) == start - 0.5);
    assert_true(xalt_start(start, &next) == start);
    assert_true(xalt_start(start, &far) == start);
    assert_true(xalt_start(start, &none) == start);
    assert_false(xalt_is_other_day(start, &next));
    assert_false(xalt_is_other_day(start, &far));
    assert_true(xalt_is_other_day(start, &exact));
    assert_false(xalt_is_other_day(start, &none));
}

static void numbers_that_are_none_are_not_known(void **state)
{
    struct record record;
    (void)state;
    read_run("end_time", "nan", &record);
    assert_false(record.run.end_time.known);
    load_record_free(&record);
}

static void a_record_that_is_too_large_has_no_text(void **state)
{
    struct json_text json = {0};
    char *text, *part = calloc(1, 1 << 20);
    size_t size;
    (void)state;
    assert_non_null(part);
    for (int i = 0; i < 17; i++)
        json_text_bytes(&json, part, 1 << 20);
    assert_int_equal(json_text_take(&json, &text, &size), -EFBIG);
    assert_null(json.text);
    free(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_keep_what_xalt_has_left_of_them),
        cmocka_unit_test(texts_stay_as_they_are),
        cmocka_unit_test(a_start_has_the_second_of_its_date),
        cmocka_unit_test(numbers_that_are_none_are_not_known),
        cmocka_unit_test(a_record_that_is_too_large_has_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
