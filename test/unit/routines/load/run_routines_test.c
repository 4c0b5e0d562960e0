/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdbool.h>

#include "contrib/routines/load/run_routines.h"
#include "test/unit/fixture/cases.h"

#define RUN(routines)                                                                              \
    "{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\"},\"userDT\":{\"start_"      \
    "time\":100.0,\"end_time\":200.0},\"routineT\":" routines "}"
#define LIB           "\"libraryA\":[[\"/sw/libx.so.1\",\"0\"]]"
#define CALLED(entry) RUN("{" LIB ",\"routineA\":[" entry "]}")

/* What load_record() says: "" where it takes the record. */
static const char *said(const char *text, struct record *record)
{
    static struct load_reason reason;
    char *copy = strdup(text);
    reason.text[0] = '\0';
    int error = load_record(copy, strlen(copy), RECORD_KINDS, NULL, record, &reason);
    if (error != 0) {
        assert_int_equal(error, -EBADMSG);
        free(copy);
    }
    return reason.text;
}

TEST(libraries_and_routines_are_read)
{
    struct record record;
    assert_string_equal(
        said(RUN("{\"libraryA\":[[\"/sw/libx.so.1\",\"ab12\"],[\"liby.a\",\"0\"]],\"routineA\":"
                 "[[0,\"dgemm_\",150.25,7,true],[1,\"y\",null,null,false]],\"watched\":5,"
                 "\"missed\":2,\"counted\":true}"),
             &record),
        "");
    const struct run_routines *found = record.run.routines;
    assert_int_equal(found->library_count, 2);
    assert_string_equal(found->libraries[0].build_id, "ab12");
    assert_string_equal(found->libraries[1].path, "liby.a");
    assert_int_equal(found->count, 2);
    assert_string_equal(found->called[0].name, "dgemm_");
    assert_float_equal(found->called[0].first_call, 150.25, 0);
    assert_int_equal(found->called[0].calls, 7);
    assert_true(found->called[0].is_at_least);
    assert_int_equal(found->called[1].library, 1);
    assert_float_equal(found->called[1].first_call, 0, 0);
    assert_int_equal(found->called[1].calls, -1);
    assert_int_equal(found->watched, 5);
    assert_int_equal(found->missed, 2);
    load_record_free(&record);
}

TEST(a_record_without_the_key_has_none)
{
    struct record record;
    assert_string_equal(
        said("{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\"}}", &record), "");
    assert_null(record.run.routines);
    load_record_free(&record);
}

TEST(a_first_call_outside_of_the_run_is_not_known)
{
    static const struct {
        const char *text;
        double first;
    } cases[] = {
        {CALLED("[0,\"x\",99.5,1,false]"), 99.5},
        {CALLED("[0,\"x\",98.5,1,false]"), 0},
        {CALLED("[0,\"x\",200.5,1,false]"), 200.5},
        {CALLED("[0,\"x\",201.5,1,false]"), 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record;
        assert_string_equal(said(cases[i].text, &record), "");
        assert_float_equal(record.run.routines->called[0].first_call, cases[i].first, 0);
        assert_int_equal(record.run.routines->called[0].calls, 1);
        load_record_free(&record);
    }
}

TEST(what_cannot_be_is_refused_with_the_reason)
{
    static const char no_routine[] = "routineT.routineA[0] is not a routine of a library";
    static const char no_library[] = "routineT.libraryA[0] is not a path and a build-id";
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {RUN("[]"), "routineT is not an object"},
        {RUN("null"), "routineT is not an object"},
        {RUN("{\"libraryA\":{}}"), "routineT.libraryA is not an array"},
        {RUN("{\"libraryA\":[[\"/x\"]]}"), no_library},
        {RUN("{\"libraryA\":[[\"\",\"0\"]]}"), no_library},
        {RUN("{\"libraryA\":[[\"/x\",0]]}"), no_library},
        {RUN("{\"routineA\":[[0,\"x\",null,null,false]]}"), no_routine},
        {CALLED("[1,\"x\",null,null,false]"), no_routine},
        {CALLED("[-1,\"x\",null,null,false]"), no_routine},
        {CALLED("[0,\"\",null,null,false]"), no_routine},
        {CALLED("[0,null,null,null,false]"), no_routine},
        {CALLED("[0,\"x\",-1.0,null,false]"), no_routine},
        {CALLED("[0,\"x\",\"1\",null,false]"), no_routine},
        {CALLED("[0,\"x\",null,-1,false]"), no_routine},
        {CALLED("[0,\"x\",null,1.5,false]"), no_routine},
        {CALLED("[0,\"x\",null,null,0]"), no_routine},
        {CALLED("[0,\"x\",null,null]"), no_routine},
        {RUN("{\"watched\":-1}"), "routineT.watched is not a number that can be"},
        {RUN("{\"missed\":\"1\"}"), "routineT.missed is not a number that can be"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record;
        assert_string_equal(said(cases[i].text, &record), cases[i].reason);
    }
}

/* A record with this many entries. */
static char *record_of(size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("{\"userT\":{\"run_uuid\":\"8c8d61fb-98c1-44c0-874c-d613312269f4\"},\"routineT\":{" LIB
          ",\"routineA\":[",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s[0,\"r%zu\",null,null,false]", i == 0 ? "" : ",", i);
    fputs("]}}", out);
    fclose(out);
    return text;
}

TEST(their_number_is_bounded)
{
    struct record record;
    char *most = record_of(RUN_ROUTINES_MAX), *more = record_of(RUN_ROUTINES_MAX + 1);
    assert_string_equal(said(most, &record), "");
    assert_int_equal(record.run.routines->count, RUN_ROUTINES_MAX);
    load_record_free(&record);
    assert_string_equal(said(more, &record), "routineT.routineA has more than 4096 entries");
    free(most);
    free(more);
}

/* Of a run of 100 seconds, and a second of slack. */
TEST(more_calls_than_a_run_has_time_for_are_not_counted)
{
    struct record record;
    assert_string_equal(said(CALLED("[0,\"most\",null,10100000000000,false],[0,\"more\",null,"
                                    "10100000000010,false],[0,\"all\",null,9223372036854775807,"
                                    "true]"),
                             &record),
                        "");
    assert_int_equal(record.run.routines->called[0].calls, 10100000000000);
    assert_int_equal(record.run.routines->called[1].calls, -1);
    assert_int_equal(record.run.routines->called[2].calls, -1);
    load_record_free(&record);
}
