/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values that do not fit into XALT's tables are cut and marked, and nothing else changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "conf/base/crc.h"
#include "submit/outbox/xalt_strict.h"

#define UUID "019a9f00-1122-7abc-8def-010203040506"

static const char run_name[] = "run.c.2026_01_01_00_00_00_0000.u.zzz." UUID ".json";
static const char link_name[] = "link.c.2026_01_01_00_00_00_0000.u." UUID ".json";
static const char package_name[] = "pkg.c.2026_01_01_00_00_00_0000.u." UUID ".0123456789ab.json";

enum { TEXT_MAX = 1 << 18 };

/* The record as it is sent: its text, or NULL where it stays as it is. */
static char *fit(const char *name, const char *text)
{
    const struct record_view view = record_view(name, text, strlen(text));
    char *fitted = (char *)"";
    size_t length = 0;
    assert_int_equal(xalt_strict_fit(&view, &fitted, &length), 0);
    if (fitted != NULL)
        assert_int_equal(strlen(fitted), length);
    return fitted;
}

/* The value of `key` in `table` of a run that has `value`, in JSON, there. */
static void expect(const char *table, const char *key, const char *value, const char *expected)
{
    static char text[TEXT_MAX];
    snprintf(text, sizeof text, "{\"crc\":\"0xFFFF\",\"%s\":{\"%s\":\"%s\"}}", table, key, value);
    char *fitted = fit(run_name, text);
    if (expected == NULL) {
        assert_null(fitted);
        return;
    }
    assert_non_null(fitted);
    struct json_object *record = json_tokener_parse(fitted);
    assert_string_equal(
        json_object_get_string(json_object_object_get(json_object_object_get(record, table), key)),
        expected);
    json_object_put(record);
    free(fitted);
}

static void what_fits_stays_as_it_is(void **state)
{
    (void)state;
    expect("userT", "account", "abcdefghijklmnopqrst", NULL);
    expect("userT", "user", "abcdefghijklmnopqrstuvwxyzabcdef", NULL);
    expect("userT", "cwd", "/home/\\u00e9\\u20ac\\uefff", NULL);
    expect("envT", "HOME", "x", NULL);
    expect("slurmT", "node",
           "a name of more characters than any column of XALT's tables has room for", NULL);
}

static void a_long_value_ends_in_the_hash_of_the_whole(void **state)
{
    (void)state;
    expect("userT", "account", "abcdefghijklmnopqrstu", "abcdefghijk~25f62a5a");
    expect("userT", "account", "abcdefghijklmnopqrstv", "abcdefghijk~aef8193a");
    /* characters are counted, and not bytes */
    expect("userT", "account",
           "\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac\\u20ac", NULL);
    expect("xaltLinkT", "Build_UUID", "019a9f00-1122-7abc-8def-0102030405067",
           "019a9f00-1122-7abc-8def-010~59cf2a12");
}

#define FACE "\xee\xbf\xb0\xee\xbe\x9f\xee\xbe\x98\xee\xbe\x80" /* the bytes of U+1F600 */

static void a_character_of_four_bytes_becomes_its_bytes(void **state)
{
    (void)state;
    expect("userT", "cwd", "/a\\ud83d\\ude00b", "/a" FACE "b");
    expect("envT", "A", "\\ud83d\\ude00", FACE);
    /* a command line is stored as JSON, in ASCII */
    assert_null(fit(run_name, "{\"crc\":\"0xFFFF\",\"cmdlineA\":[\"\\ud83d\\ude00\"]}"));
}

/* A record of `name` becomes `expected`, up to its CRC, which is that of the new text; and that
 * fits. */
static void expect_record(const char *name, const char *text, const char *expected)
{
    char *fitted = fit(name, text);
    char crc[8];
    assert_non_null(fitted);
    snprintf(crc, sizeof crc, "%.6s", fitted + 8);
    memcpy(fitted + 8, "0xFFFF", 6);
    assert_string_equal(fitted, expected);
    assert_int_equal(strtoul(crc, NULL, 16), crc16(fitted, strlen(fitted)));
    assert_null(fit(name, fitted));
    free(fitted);
}

static void names_and_lists_fit_too_and_the_rest_stays(void **state)
{
    (void)state;
    expect_record(
        run_name,
        "{\"crc\":\"0x1234\",\"envT\":{\"A\":\"1\",\"\\ud83d\\ude00\":\"2\",\"C\":\"3\"},"
        "\"libA\":[[\"/\\ud83d\\ude00\",\"0\"]],\"userDT\":{\"run_time\":1.2500,\"x\":null}}",
        "{\"crc\":\"0xFFFF\",\"envT\":{\"A\":\"1\",\"\\ueff0\\uef9f\\uef98\\uef80\":\"2\","
        "\"C\":\"3\"},\"libA\":[[\"/\\ueff0\\uef9f\\uef98\\uef80\",\"0\"]],"
        "\"userDT\":{\"run_time\":1.2500,\"x\":null}}");
    expect_record(link_name,
                  "{\"crc\":\"0x1234\",\"link_line\":[\"cc\",\"\\ud83d\\ude00.c\"],\"resultT\":{}}",
                  "{\"crc\":\"0xFFFF\",\"link_line\":[\"cc\",\"\\ueff0\\uef9f\\uef98\\uef80.c\"],"
                  "\"resultT\":{}}");
    expect_record(
        package_name,
        "{\"crc\":\"0x1234\",\"package_name\":\"p\",\"program\":\"abcdefghijklmnopqrstu\"}",
        "{\"crc\":\"0xFFFF\",\"package_name\":\"p\",\"program\":\"abc~25f62a5a\"}");
}

/* The values of many variables, and of variables whose names begin alike. */
static void names_that_begin_alike_stay_apart(void **state)
{
    char text[512], begin[61];
    (void)state;
    memset(begin, 'N', sizeof begin - 1);
    begin[sizeof begin - 1] = '\0';
    snprintf(text, sizeof text,
             "{\"crc\":\"0x1234\",\"envT\":{\"%sABCDE\":\"1\",\"%sABCDF\":\"2\"}}", begin, begin);
    char *fitted = fit(run_name, text);
    struct json_object *record = json_tokener_parse(fitted);
    struct json_object *table = json_object_object_get(record, "envT");
    assert_int_equal(json_object_object_length(table), 2);
    json_object_object_foreach(table, name, value)
    {
        (void)value;
        assert_int_equal(strlen(name), 64);
    }
    json_object_put(record);
    free(fitted);
}

static void what_is_no_record_of_ours_is_left_alone(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"crc\":\"0x1234\",",
        "{\"crc\":\"0x1234\",\"userT\":7,\"envT\":[]}",
        "{\"userT\":{\"account\":\"abcdefghijklmnopqrstuvw\"}}",
        "{\"crc\":\"0x1234\",\"userT\":{\"account\":12345678901234567890123}}",
        "{\"crc\":\"0x1234\",\"libA\":[7,[],[7],{\"a\":1}],\"resultT\":null,\"function\":{}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_null(fit(run_name, texts[i]));
        assert_null(fit(link_name, texts[i]));
    }
    assert_null(
        fit("coverage.c.2026_01_01_00_00_00_0000.u." UUID ".json",
            "{\"crc\":\"0x1234\",\"coverageT\":{\"account\":\"abcdefghijklmnopqrstuvw\"}}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays_as_it_is),
        cmocka_unit_test(a_long_value_ends_in_the_hash_of_the_whole),
        cmocka_unit_test(a_character_of_four_bytes_becomes_its_bytes),
        cmocka_unit_test(names_and_lists_fit_too_and_the_rest_stays),
        cmocka_unit_test(names_that_begin_alike_stay_apart),
        cmocka_unit_test(what_is_no_record_of_ours_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
