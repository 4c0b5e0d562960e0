/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a gate believes of a record before anybody parses it: its keys, and that it is JSON.
 */
#include <json-c/json.h>

#include "conf/base/json_end.h"
#include "submit/definition/record_keys.h"
#include "test/unit/fixture/cases.h"

static int place(enum record_kind kind, const char *key)
{
    return record_key_place(kind, key, strlen(key));
}

TEST(each_kind_has_its_own_keys)
{
    static const char *const own[RECORD_KINDS] = {
        "userT", "resultT", "xalt_run_uuid", "coverageT", "libraryT", "ranksT", "profileT"};
    for (enum record_kind kind = RECORD_RUN; kind < RECORD_KINDS; kind++) {
        for (enum record_kind other = RECORD_RUN; other < RECORD_KINDS; other++)
            assert_int_equal(place(kind, own[other]) >= 0, kind == other);
        assert_true(place(kind, "crc") >= 0);
        assert_true(place(kind, "signature") < 0);
        assert_true(place(kind, "") < 0);
        assert_true(place(kind, "CRC") < 0);
        assert_true(record_key_place(kind, "crc", 2) < 0);
        assert_int_equal(record_kind_of(record_kind_name(kind), strlen(record_kind_name(kind))),
                         kind);
    }
    assert_int_equal(record_kind_of("", 0), RECORD_KINDS);
    assert_int_equal(record_kind_of("runs", 4), RECORD_KINDS);
    assert_int_equal(record_kind_of("runs", 3), RECORD_RUN);
    assert_int_equal(record_kind_of("ru", 2), RECORD_KINDS);
}

/* What records may have, as jobtrail-record(5) and the tests of whole records have it. */
TEST(what_the_schemas_know_the_gates_let_through)
{
    static const char *const folders[RECORD_KINDS] = {[RECORD_LIBRARY] = "contrib/libraries",
                                                      [RECORD_RANKS] = "contrib/witness",
                                                      [RECORD_PROFILE] = "contrib/profile"};
    for (enum record_kind kind = RECORD_RUN; kind < RECORD_KINDS; kind++) {
        char path[512];
        struct json_object *properties;
        snprintf(path, sizeof path, SOURCE "/%s/%s.schema.json",
                 folders[kind] == NULL ? "submit/definition/schema" : folders[kind],
                 record_kind_name(kind));
        struct json_object *schema = json_object_from_file(path);
        assert_true(json_object_object_get_ex(schema, "properties", &properties));
        json_object_object_foreach(properties, key, value)
        {
            (void)value;
            if (strcmp(key, "signature") != 0 && place(kind, key) < 0)
                fail_msg("no key of a %s record: %s", record_kind_name(kind), key);
        }
        json_object_put(schema);
    }
}

TEST(json_ends_where_it_is_whole)
{
    static const char *const sound[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "10",
        "1.50",
        "-1.5e+3",
        "1E5",
        "2e-7",
        "\"\"",
        "\"a\\\"b\\\\\"",
        "\"\\u0000\\n\\/\"",
        "\"\\ud83d\\ude00\\uD800\\uDFFF\"",
        "{}",
        "[]",
        "[[],{},[{}]]",
        "{\"\":0,\"a\":[1,\"]\",{\"b\":null}]}",
        "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
    };
    static const char *const broken[] = {
        "",
        "nul",
        "True",
        "NaN",
        "nan",
        "Infinity",
        "-",
        "-a",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\\ude00\"",
        "\"\\ud83d\\ud83d\"",
        "\"\\ud83d\\n\"",
        "[",
        "]",
        "{",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 ]",
        "[1 2]",
        "[1}",
        "{]",
        "{1:2}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\" :1}",
        "{,}",
        "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
        "'a'",
        "/**/1",
    };
    for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++) {
        const char *end = sound[i] + strlen(sound[i]);
        if (json_value_end(sound[i], end) != end)
            fail_msg("refused: %s", sound[i]);
    }
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        if (json_value_end(broken[i], broken[i] + strlen(broken[i])) != NULL)
            fail_msg("taken: %s", broken[i]);
    /* what stands behind it is another's */
    const char *more = "01";
    assert_ptr_equal(json_value_end(more, more + 2), more + 1);
}

/* Each pair is one character, which a parser writes as it was; any half is none. */
TEST(every_surrogate_pair_is_a_character)
{
    for (unsigned high = 0xd800; high <= 0xdfff; high++) {
        char text[16];
        for (unsigned low = 0xd7ff; low <= 0xe000; low += high % 64 == 0 ? 1 : 97) {
            int is_pair = high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
            int length = snprintf(text, sizeof text, "\"\\u%04x\\u%04x\"", high, low);
            assert_int_equal(json_value_end(text, text + length) != NULL, is_pair);
        }
    }
}
