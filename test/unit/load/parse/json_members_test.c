/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The members of an object in its text.
 */
#include "submit/load/parse/json_members.h"
#include "test/unit/fixture/cases.h"

/* "KEY=VALUE;" for each member, then "." at the end or "!" where it is bad. `text` is copied to
 * memory without a NUL behind it, so that AddressSanitizer knows its end. */
static void walk(const char *text, char *found, size_t size)
{
    struct json_members members;
    struct json_slice key, value;
    enum json_step step = JSON_BAD;
    size_t length = strlen(text);
    char *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    memcpy(copy, text, length);
    found[0] = '\0';
    if (json_members_open(&members, copy, length))
        while ((step = json_members_next(&members, &key, &value)) == JSON_MEMBER) {
            size_t used = strlen(found);
            snprintf(found + used, size - used, "%.*s=%.*s;", (int)key.size, key.at,
                     (int)value.size, value.at);
        }
    strcat(found, step == JSON_END ? "." : "!");
    free(copy);
}

struct walk_case {
    const char *text, *found;
};

static void expect(const struct walk_case *cases, size_t count)
{
    char found[512];
    for (size_t i = 0; i < count; i++) {
        walk(cases[i].text, found, sizeof found);
        if (strcmp(found, cases[i].found) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, found, cases[i].found);
    }
}

#define EXPECT(cases) expect(cases, sizeof(cases) / sizeof(cases)[0])

TEST(members_come_in_order_with_their_text)
{
    static const struct walk_case cases[] = {
        {"{}", "."},
        {" {\t} \n", "."},
        {"{\"a\":1}", "a=1;."},
        {"{\"a\":-1.5e3,\"b\":true,\"c\":null}", "a=-1.5e3;b=true;c=null;."},
        {"{ \"a\" : \"x y\" , \"b\" :\r\n{ \"c\" : [ 1 , 2 ] } }",
         "a=\"x y\";b={ \"c\" : [ 1 , 2 ] };."},
        {"{\"a\":[[],[{}]],\"a\":{}}", "a=[[],[{}]];a={};."},
        {"{\"\":\"\"}", "=\"\";."},
    };
    EXPECT(cases);
}

TEST(quotes_brackets_and_separators_in_strings_are_text)
{
    static const struct walk_case cases[] = {
        {"{\"a\":\"}\",\"b\":\",\"}", "a=\"}\";b=\",\";."},
        {"{\"a\":[\"]\",\"}\"],\"b\":2}", "a=[\"]\",\"}\"];b=2;."},
        {"{\"a\":\"\\\"\",\"b\":1}", "a=\"\\\"\";b=1;."},
        {"{\"a\":\"\\\\\",\"b\":1}", "a=\"\\\\\";b=1;."},
        {"{\"a\":\"\\\\\\\"}\",\"b\":1}", "a=\"\\\\\\\"}\";b=1;."},
        {"{\"a\\\"b\":1}", "a\\\"b=1;."},
        {"{\"a\":{\"x\":\"\\\\\"},\"b\":1}", "a={\"x\":\"\\\\\"};b=1;."},
    };
    EXPECT(cases);
}

TEST(what_is_no_whole_object_is_bad)
{
    static const struct walk_case cases[] = {
        {"", "!"},
        {" ", "!"},
        {"[]", "!"},
        {"{", "!"},
        {"{\"a", "!"},
        {"{\"a\"", "!"},
        {"{\"a\":", "!"},
        {"{\"a\":}", "!"},
        {"{\"a\":1", "!"},
        {"{\"a\":1,", "!"},
        {"{\"a\":1,}", "!"},
        {"{\"a\":1 , }", "!"},
        {"{,\"a\":1}", "!"},
        {"{\"a\":1,,\"b\":2}", "!"},
        {"{\"a\":1 \"b\":2}", "!"},
        {"{\"a\" 1}", "!"},
        {"{a:1}", "!"},
        {"{\"a\":\"x}", "!"},
        {"{\"a\":\"x\\\"}", "!"},
        {"{\"a\":[1}", "!"},
        {"{\"a\":[\"}", "!"},
        {"{\"a\":1}}", "a=1;!"},
        {"{\"a\":1}{}", "a=1;!"},
        {"{\"a\":1} x", "a=1;!"},
    };
    EXPECT(cases);
}
