/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of routines, as records tell of them.
 */
#include "submit/record/json_add.h"
#include "submit/record/run_record.h"
#include "test/unit/fixture/cases.h"

static const uint64_t second = UINT64_C(1000000000);

static struct capture_library library[2];

static struct capture capture_of(struct capture_routine *routine, size_t count)
{
    library[0] = (struct capture_library){.path = text_bytes("/lib/a"),
                                          .build_id = {.at = "\1\2", .size = 2}};
    library[1] = (struct capture_library){.path = text_bytes("libb.a")};
    return (struct capture){
        .has_routines = 1,
        .routine_libraries = library,
        .routine_library_count = 2,
        .routines = routine,
        .routine_count = count,
        .routines_watched = 9,
        .routines_missed = 4,
    };
}

static void assert_table(const struct capture *capture, const char *expected)
{
    struct json_object *table = routine_table(capture);
    assert_string_equal(json_object_to_json_string_ext(table, JSON_C_TO_STRING_PLAIN), expected);
    json_object_put(table);
}

TEST(a_run_without_designated_libraries_has_no_table)
{
    assert_null(routine_table(&(struct capture){.has_routines = 0}));
    assert_null(routine_table(&(struct capture){.has_routines = 1}));
}

TEST(each_routine_is_there_once_with_its_first_call)
{
    struct capture_routine routine[] = {
        {.library = 1, .name = text_bytes("sin"), .first_ns = 9 * second},
        {.library = 0, .name = text_bytes("sin"), .first_ns = 7 * second},
        {.library = 0, .name = text_bytes("sin"), .first_ns = 3 * second / 2},
        {.library = 0, .name = text_bytes("sinh"), .first_ns = second},
        {.library = 0, .name = text_bytes("cos")},
        {.library = 1, .name = text_bytes("tan"), .is_missed = 1},
        {.library = 0, .name = text_bytes("sin"), .is_missed = 1},
        {.library = 0, .name = text_bytes("sin"), .is_missed = 1},
    };
    struct capture capture = capture_of(routine, 8);
    assert_table(
        &capture,
        "{\"libraryA\":[[\"\\/lib\\/a\",\"0102\"],[\"libb.a\",\"0\"]],"
        "\"routineA\":[[0,\"cos\",null,null,false],[0,\"sin\",1.5,null,false],"
        "[0,\"sinh\",1.0,null,false],"
        "[1,\"sin\",9.0,null,false]],"
        "\"missedA\":[[0,\"sin\"],[1,\"tan\"]],\"watched\":9,\"missed\":4,\"counted\":false}");
}

TEST(calls_are_added_and_a_bound_is_said)
{
    struct capture_routine routine[] = {
        {.name = text_bytes("sin"), .first_ns = second, .calls = 2},
        {.name = text_bytes("sin"), .first_ns = second, .calls = 3},
        {.name = text_bytes("cos"), .first_ns = second, .calls = 1},
        {.name = text_bytes("cos"), .first_ns = second, .calls = 1, .is_at_least = 1},
        {.name = text_bytes("tan"), .first_ns = second, .calls = UINT64_MAX},
        {.name = text_bytes("abs"), .first_ns = second, .calls = 1},
    };
    struct capture capture = capture_of(routine, 6);
    capture.routines_counted = 1;
    assert_table(&capture, "{\"libraryA\":[[\"\\/lib\\/a\",\"0102\"],[\"libb.a\",\"0\"]],"
                           "\"routineA\":[[0,\"abs\",1.0,1,false],[0,\"cos\",1.0,2,true],"
                           "[0,\"sin\",1.0,5,false],[0,\"tan\",1.0,9223372036854775807,true]],"
                           "\"missedA\":[],\"watched\":9,\"missed\":4,\"counted\":true}");
}
