// SPDX-License-Identifier: LGPL-2.1-or-later
// What is written key by key has the bytes that json-c gives to the same object.

#include "conf/base/text.h"
#include "submit/record/json_add.h"
#include "submit/record/json_write.h"
#include "submit/record/record.h"
#include "test/unit/fixture/cases.h"

/* Compares, and releases both. */
static void assert_same(struct json_writer *writer, struct json_object *object)
{
    size_t length;
    char *written = json_write_end(writer, &length);
    char *expected = record_text(object);
    assert_non_null(written);
    assert_string_equal(written, expected);
    assert_int_equal(length, strlen(expected));
    json_object_put(object);
    free(expected);
    free(written);
}

static void assert_bytes(const char *bytes, size_t size)
{
    const struct capture_bytes value = {.at = bytes, .size = size};
    struct json_object *object = json_object_new_object();
    struct json_writer writer;
    json_write_begin(&writer);
    json_write_bytes(&writer, "key", value);
    json_add_bytes(object, "key", value);
    assert_same(&writer, object);
}

TEST(each_byte_has_the_form_of_json_c)
{
    for (int byte = 0; byte < 256; byte++) {
        char text[] = "/usr/bin/a b";
        for (size_t at = 0; at < sizeof text; at++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[at] = (char)byte;
            assert_bytes(changed, sizeof text);
        }
    }
}

TEST(what_xalt_would_take_for_a_head_is_written_otherwise)
{
    static const char *const texts[] = {
        "",         " V:1", "a V:2 b", "V:3", " V:", " V:x", "caf\xc3\xa9 V:4", "\xf0\x9f\x98\x80",
        "\xff\xfe", "a\"b", "\\"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_bytes(texts[i], strlen(texts[i]));
    assert_bytes(NULL, 0);
}

TEST(numbers_have_as_many_decimals_as_those_of_json_c)
{
    static const double numbers[] = {0,    1,  0.00004, 0.00005, 1795384134.32515, 99999999999.0,
                                     1e11, -1, 1e300};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct json_object *object = json_object_new_object();
        struct json_writer writer;
        json_write_begin(&writer);
        json_write_double(&writer, "four", numbers[i]);
        json_write_measured(&writer, "six", numbers[i]);
        json_add_double(object, "four", numbers[i]);
        json_add_measured(object, "six", numbers[i]);
        assert_same(&writer, object);
    }
}

TEST(tables_and_other_values_stand_in_their_order)
{
    struct json_object *object = json_object_new_object(), *table = json_object_new_object();
    struct json_writer writer;
    json_write_begin(&writer);
    json_write_open(&writer, "empty");
    json_write_close(&writer);
    json_write_open(&writer, "table");
    json_write_text(&writer, "text", "caf\xc3\xa9");
    json_write(&writer, "none", NULL);
    json_write_close(&writer);
    json_write(&writer, "array", json_strings(text_bytes("a/\"b\"")));
    json_add_text(table, "text", "caf\xc3\xa9");
    json_add(table, "none", NULL);
    json_add(object, "empty", json_object_new_object());
    json_add(object, "table", table);
    json_add(object, "array", json_strings(text_bytes("a/\"b\"")));
    assert_same(&writer, object);
}

TEST(members_of_an_object_stand_among_others)
{
    struct json_object *object = json_object_new_object(), *members = json_object_new_object();
    struct json_object *first = json_object_new_object(), *second = json_object_new_object();
    struct json_writer writer;
    json_add_text(members, "a", "}");
    json_add_int(members, "b", 2);
    json_write_begin(&writer);
    json_write_open(&writer, "first");
    json_write_members(&writer, json_object_get(members));
    json_write_text(&writer, "c", "3");
    json_write_close(&writer);
    json_write_open(&writer, "second");
    json_write_text(&writer, "c", "3");
    json_write_members(&writer, members);
    json_write_close(&writer);
    json_add_text(first, "a", "}");
    json_add_int(first, "b", 2);
    json_add_text(first, "c", "3");
    json_add_text(second, "c", "3");
    json_add_text(second, "a", "}");
    json_add_int(second, "b", 2);
    json_add(object, "first", first);
    json_add(object, "second", second);
    assert_same(&writer, object);
}

TEST(a_text_that_is_longer_than_the_first_room_is_whole)
{
    enum { SIZE = 100000 };
    char *text = malloc(SIZE);
    memset(text, 'a', SIZE);
    assert_bytes(text, SIZE);
    text[SIZE / 2] = '"';
    assert_bytes(text, SIZE);
    free(text);
}
