/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the members of JSON objects stand, however the object is laid out.
 */
#include "submit/load/parse/json_members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The members as "KEY=VALUE;", then "." for an end or "!" for what is wrong. */
static const char *members_of(const char *text, size_t size)
{
    static char list[256];
    struct json_members members;
    struct json_slice key, value;
    size_t used = 0;
    enum json_step step = json_members_open(&members, text, size)
                              ? json_members_next(&members, &key, &value)
                              : JSON_BAD;
    for (; step == JSON_MEMBER; step = json_members_next(&members, &key, &value))
        used += (size_t)snprintf(list + used, sizeof list - used, "%.*s=%.*s;", (int)key.size,
                                 key.at, (int)value.size, value.at);
    snprintf(list + used, sizeof list - used, "%s", step == JSON_END ? "." : "!");
    return list;
}

static void members_are_found_in_any_layout(void **state)
{
    static const char *const texts[][2] = {
        {"{}", "."},
        {" \n{ \t} \r\n", "."},
        {"{\"a\":1}", "a=1;."},
        {"{ \"a\" : 1 , \"b\":\"x y\" }", "a=1;b=\"x y\";."},
        {"{\"a\":{\"b\":[1,{}]},\"c\":[]}", "a={\"b\":[1,{}]};c=[];."},
        {"{\"a\":\"}\\\"]\",\"b\":true}", "a=\"}\\\"]\";b=true;."},
        {"{\"a\\\"b\":\"\\\\\",\"c\":\"\\\\\\\"\"}", "a\\\"b=\"\\\\\";c=\"\\\\\\\"\";."},
        {"{\"a\":[\"]\",\"{\"]}", "a=[\"]\",\"{\"];."},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(members_of(texts[i][0], strlen(texts[i][0])), texts[i][1]);
}

static void what_is_no_object_is_told(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "\"a\"",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{a:1}",
        "{\"a\":1}x",
        "{,}",
        "{\"a\":[1}",
        "{\"a\":\"x}",
        "{\"a\" 1}",
        "{\"a\":1 2}",
        "{\"a\":\"\\\"}",
        "{\"a\":1}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *list = members_of(texts[i], strlen(texts[i]));
        if (list[strlen(list) - 1] != '!')
            fail_msg("%s is taken: %s", texts[i], list);
    }
}

/* No byte behind `size` is looked at: each shorter text is no object. */
static void a_text_may_end_anywhere(void **state)
{
    static const char text[] = "{\"a\":{\"b\":\"\\\\\"},\"c\":[1,\"x\"],\"d\":null}";
    (void)state;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        const char *list = members_of(text, size);
        assert_int_equal(list[strlen(list) - 1], '!');
    }
    assert_string_equal(members_of(text, sizeof text - 1),
                        "a={\"b\":\"\\\\\"};c=[1,\"x\"];d=null;.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_in_any_layout),
        cmocka_unit_test(what_is_no_object_is_told),
        cmocka_unit_test(a_text_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
