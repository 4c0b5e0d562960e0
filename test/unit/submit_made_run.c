/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit_made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "journal.h"

struct capture_bytes text(const char *string)
{
    return (struct capture_bytes){.at = string, .size = strlen(string)};
}

void make(struct made *made)
{
    *made = (struct made){
        .conf = {.cluster = (char *)"", .syshost = (char *)"", .transport = (char *)"file"},
        .journal = {.job = 42,
                    .restart = 1,
                    .array_job = JOURNAL_NONE,
                    .array_task = JOURNAL_NONE,
                    .het_job = JOURNAL_NONE,
                    .nodes = 3,
                    .cpus = 16,
                    .gpus = 2,
                    .user = (char *)"alice",
                    .account = (char *)"proj",
                    .partition = (char *)"main",
                    .qos = (char *)"gold",
                    .cluster = (char *)"alpha",
                    .node = (char *)"n1",
                    .submit_host = (char *)"login",
                    .steps = made->step,
                    .step_count = 3},
        .step = {{.step = 0, .nodes = 2, .node_id = 1, .tasks = 4, .cpus_per_task = 3},
                 {.step = JOURNAL_STEP_BATCH, .nodes = 0},
                 {.step = JOURNAL_STEP_INTERACTIVE, .nodes = 1, .tasks = 1}},
        .capture = {.pid = 10,
                    .start_ns = START,
                    .uuid = {0x01, 0x9a, 0x9f, 0, 0x11, 0x22, 0x7a, 0xbc, 0x8d, 0xef, 1, 2, 3, 4, 5,
                             0xff},
                    .rank = 1,
                    .size = 4,
                    .task = 1,
                    .exec = text("/nonexistent/x")},
        .ending = {.source = "fini", .end_ns = START + 5 * SECOND / 2},
        .probability = 0.0001,
    };
}

struct run_source source_of(const struct made *made)
{
    static const struct command_lines lines;
    return (struct run_source){.conf = &made->conf,
                               .lines = &lines,
                               .journal = &made->journal,
                               .capture = &made->capture,
                               .ending = &made->ending,
                               .dropped = made->dropped,
                               .probability = made->probability};
}

void assert_remembered(const struct run_source *source, struct json_memo *memo,
                       struct json_object *expected)
{
    static const char *const parts[] = {"libA", "buildIdA", "envT", "ptA", "slurmT", "XALT_qaT"};
    struct run_source other = *source;
    struct record record;
    other.memo = memo;
    assert_int_equal(run_record_build(&other, &record), 0);
    struct json_object *found = json_tokener_parse(record.text);
    assert_non_null(found);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_string_equal(json_object_get_string(json_object_object_get(found, parts[i])),
                            json_object_get_string(json_object_object_get(expected, parts[i])));
    json_object_put(found);
    record_free(&record);
}

void build(struct made *made)
{
    struct run_source source = source_of(made);
    struct json_memo *memo = json_memo_new();
    assert_int_equal(run_record_build(&source, &made->record), 0);
    assert_int_equal(strlen(made->record.text), made->record.length);
    for (size_t i = 0; i < made->record.length; i++)
        assert_in_range((unsigned char)made->record.text[i], 0x20, 0x7f);
    enum json_tokener_error error;
    made->json = json_tokener_parse_verbose(made->record.text, &error);
    if (made->json == NULL)
        fail_msg("%s: %s", json_tokener_error_desc(error), made->record.text);
    for (int i = 0; i < 2; i++)
        assert_remembered(&source, memo, made->json);
    json_memo_free(memo);
}

void release(struct made *made)
{
    json_object_put(made->json);
    record_free(&made->record);
    assert_null(made->record.text);
}

struct json_object *get(const struct made *made, const char *table, const char *key)
{
    struct json_object *inner, *value;
    if (!json_object_object_get_ex(made->json, table, &inner) ||
        !json_object_object_get_ex(inner, key, &value))
        fail_msg("no %s.%s", table, key);
    return value;
}

void assert_value(const struct made *made, const char *table, const char *key, const char *expected)
{
    const char *found =
        json_object_to_json_string_ext(get(made, table, key), JSON_C_TO_STRING_NOSLASHESCAPE);
    if (strcmp(found, expected) != 0)
        fail_msg("%s.%s is %s, not %s", table, key, found, expected);
}
