/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of libraries: the same fact has the same uuid, and what a file says of itself cannot make
 * a record that the loader refuses.
 */
#include "contrib/libraries/outbox/library_record.h"

#include <json-c/json.h>

#include "conf/base/uuid7.h"
#include "test/unit/fixture/cases.h"

static const struct library_record_file no_file = LIBRARY_RECORD_NO_FILE;
static const struct library_record_who nobody = LIBRARY_RECORD_NOBODY;
static char syshost[] = "lab", cluster[] = "alpha";
static const struct conf conf = {.syshost = syshost, .cluster = cluster};

static struct library_record_source replaced(void)
{
    return (struct library_record_source){
        .conf = &conf,
        .node = "n1",
        .what = "replaced",
        .library = "libm",
        .path = "/sw/libm.so",
        .files = 1,
        .found_ns = INT64_C(1700000000000000000),
        .after_ns = LIBRARY_RECORD_NONE,
        .before_ns = INT64_C(1700000001000000000),
        .source = "scan",
        .who = nobody,
        .was = {.size = 1, .modified_ns = 1, .owner = LIBRARY_RECORD_NONE},
        .is = {.size = 2, .modified_ns = 2, .owner = LIBRARY_RECORD_NONE},
    };
}

/* The value of a table as JSON, to be freed. */
static char *value_of(const struct library_record_source *source, const char *table,
                      const char *key)
{
    struct built_record record;
    struct json_object *values, *value;
    assert_int_equal(library_record_build(source, &record), 0);
    struct json_object *parsed = json_tokener_parse(record.text);
    assert_non_null(parsed);
    assert_true(json_object_object_get_ex(parsed, table, &values));
    assert_true(json_object_object_get_ex(values, key, &value));
    char *text = strdup(json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(parsed);
    record_free(&record);
    return text;
}

static void assert_value(const struct library_record_source *source, const char *table,
                         const char *key, const char *wanted)
{
    char *value = value_of(source, table, key);
    assert_string_equal(value, wanted);
    free(value);
}

static bool has_same(const struct library_record_source *one,
                     const struct library_record_source *other, const char *key)
{
    char *text = value_of(one, "libraryT", key), *other_text = value_of(other, "libraryT", key);
    bool is_same = strcmp(text, other_text) == 0;
    free(text);
    free(other_text);
    return is_same;
}

TEST(the_same_change_has_the_same_uuid)
{
    struct library_record_source one = replaced(), other = replaced();
    other.group = "math"; /* by another configuration */
    other.after_ns = 7;
    assert_true(has_same(&one, &other, "uuid"));
    assert_true(has_same(&one, &other, "event"));
    /* the watch, which is gone when it is told again */
    other.source = "watch";
    other.before_ns++;
    other.event = "019a9f00-1122-7abc-8def-0102030405ff";
    other.who = (struct library_record_who){.uid = 0, .login_uid = 1000, .user = "root"};
    assert_true(has_same(&one, &other, "uuid"));
}

TEST(another_change_has_another_uuid)
{
    const struct library_record_source one = replaced();
    struct library_record_source others[6];
    for (size_t i = 0; i < 6; i++)
        others[i] = replaced();
    others[0].path = "/sw/libm.so.1";
    others[1].what = "modified";
    others[2].node = "n2";
    others[3].found_ns++;
    others[4].is.modified_ns = 3; /* again in the second of found_ns */
    others[5].files = 2;
    for (size_t i = 0; i < 6; i++)
        assert_false(has_same(&one, &others[i], "uuid"));
}

TEST(changes_of_one_library_at_one_time_are_one_event)
{
    struct library_record_source one = replaced(), other = replaced();
    other.path = "/sw/libm.a";
    other.what = "added";
    assert_false(has_same(&one, &other, "uuid"));
    assert_true(has_same(&one, &other, "event"));
    other.library = "libn";
    assert_false(has_same(&one, &other, "event"));
    other.event = one.event = "019a9f00-1122-7abc-8def-0102030405ff";
    assert_true(has_same(&one, &other, "event"));
}

TEST(uses_of_two_users_are_two)
{
    struct library_record_source one = replaced(), other = replaced();
    one.is_use = other.is_use = true;
    one.what = other.what = "open";
    other.who.uid = 1000;
    assert_false(has_same(&one, &other, "uuid"));
    other.who.uid = one.who.uid;
    assert_true(has_same(&one, &other, "uuid"));
    other.who.login_uid = 1000;
    assert_false(has_same(&one, &other, "uuid"));
    other.who.login_uid = one.who.login_uid;
    other.who.program = "/usr/bin/ld";
    assert_false(has_same(&one, &other, "uuid"));
}

TEST(what_is_not_known_is_null)
{
    static const char *const keys[] = {"uid", "login_uid", "user", "job_id", "step_id", "after"};
    struct library_record_source source = replaced();
    source.was = no_file;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_value(&source, "libraryT", keys[i], "null");
    assert_value(&source, "wasT", "size", "null");
    assert_value(&source, "wasT", "mtime", "null");
    assert_value(&source, "isT", "sha1", "null");
    assert_value(&source, "libraryT", "command", "\"\"");
    assert_value(&source, "libraryT", "kind", "\"change\"");
}

/* The loader refuses numbers beyond these. */
TEST(numbers_that_no_disk_should_have_are_null)
{
    struct library_record_source source = replaced();
    source.is.size = INT64_MAX;
    source.was.size = -1;
    source.was.modified_ns = INT64_MIN + 1;
    assert_value(&source, "isT", "size", "null");
    assert_value(&source, "wasT", "size", "null");
    source.is.modified_ns = INT64_MAX;
    assert_value(&source, "isT", "mtime", "9223372036.854776");
    assert_value(&source, "wasT", "mtime", "-9223372036.854776");
}

/* A name of 255 bytes at the most, which does not end in the middle of a character. */
TEST(a_long_name_is_cut_between_characters)
{
    char name[400];
    struct library_record_source source = replaced();
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    memcpy(name + 253, "\xe2\x82\xac", 3);
    source.library = name;
    char *value = value_of(&source, "libraryT", "library");
    assert_int_equal(strlen(value), 253 + 2);
    free(value);
    memset(name, 0xff, sizeof name - 1); /* three bytes each */
    value = value_of(&source, "libraryT", "library");
    assert_int_equal(strlen(value), 255 + 2);
    free(value);
}

TEST(a_name_is_sound_whoever_did_it)
{
    struct built_record record;
    struct library_record_source source = replaced();
    source.who.user = "a/b\n.json c";
    source.path = "/sw/lib\n\x1b[31m\x01\xff.so";
    assert_int_equal(library_record_build(&source, &record), 0);
    const struct record_view view = record_view_of(&record);
    assert_true(record_name_is_sound(record.name));
    assert_true(view.is_exact);
    assert_int_equal(view.kind, RECORD_LIBRARY);
    assert_null(strchr(record.text, '\n'));
    assert_null(strchr(record.text, '\x1b'));
    assert_int_equal(strlen(record.text), record.length);
    record_free(&record);
}
