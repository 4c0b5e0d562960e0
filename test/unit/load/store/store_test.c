/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sqlite3.h>

#include "submit/load/database/schema.h"
#include "submit/load/store/store.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_store.h"

#define UUID    "8c8d61fb-98c1-44c0-874c-d613312269f4"
#define MANY    "[[\"/lib/c\",\"1\"],[\"/lib/m\",\"0\"]]"
#define ENDED   "\"userDT\":{\"start_time\":5.0,\"end_time\":6.5,\"run_time\":1.5}"
#define STARTED "\"userDT\":{\"start_time\":5.0,\"end_time\":0.0,\"run_time\":0.0}"

static enum store_result put(struct store *store, const char *uuid, const char *rest)
{
    char text[1024];
    struct record record;
    struct load_reason reason = {""};
    enum store_result result = STORE_NEW;
    int length = snprintf(text, sizeof text,
                          "{\"userT\":{\"run_uuid\":\"%s\",\"exec_path\":\"/x\"},%s}", uuid, rest);
    if (load_record(strdup(text), (size_t)length, RECORD_KINDS, NULL, &record, &reason) != 0)
        fail_msg("%s", reason.text);
    if (store_put(store, &record, 1, &result) != 0)
        fail_msg("%s", store_error(store));
    load_record_free(&record);
    return result;
}

/* Runs `sql` on the file and returns the first value of the first row. */
static double value_of(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    double value = -1;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

static void assert_value(const char *sql, double expected)
{
    double found = value_of(sql);
    if (found < expected || found > expected)
        fail_msg("%s: %g instead of %g", sql, found, expected);
}

TEST(new_store_has_the_schema_version_that_the_program_knows)
{
    store_close(open_file(false));
    assert_value("PRAGMA user_version", SCHEMA_VERSION);
    store_close(open_file(false));
}

TEST(newer_schema_is_refused)
{
    store_close(open_file(false));
    value_of("PRAGMA user_version = 99");
    struct store *store;
    assert_int_not_equal(store_open(&database_sqlite, file, false, &store), 0);
    assert_non_null(strstr(store_error(store), "version 99"));
    store_close(store);
}

TEST(database_of_another_program_is_refused)
{
    value_of("CREATE TABLE other (x)");
    struct store *store;
    assert_int_not_equal(store_open(&database_sqlite, file, false, &store), 0);
    assert_non_null(strstr(store_error(store), "another program"));
    store_close(store);
}

TEST(end_replaces_start_and_start_never_replaces_end)
{
    struct store *store = open_file(false);
    assert_int_equal(put(store, UUID, STARTED), STORE_NEW);
    assert_int_equal(put(store, UUID, STARTED), STORE_UNCHANGED);
    assert_int_equal(put(store, UUID, ENDED), STORE_UPDATED);
    assert_int_equal(put(store, UUID, STARTED), STORE_UNCHANGED);
    assert_int_equal(put(store, UUID, ENDED), STORE_UNCHANGED);
    store_close(store);
    assert_value("SELECT count(*) FROM run WHERE NOT is_start_only", 1);
    assert_value("SELECT run_time FROM run", 1.5);
}

TEST(unknown_facts_are_null)
{
    struct store *store = open_file(false);
    put(store, UUID, STARTED);
    store_close(store);
    assert_value("SELECT end_time IS NULL AND user IS NULL AND signal IS NULL AND cmdline IS NULL "
                 "AND object_set_id IS NULL AND environment_id IS NULL FROM run",
                 1);
}

TEST(what_runs_share_is_stored_once)
{
    static const char *const rest = "\"hash_id\":\"7\",\"libA\":" MANY ",\"envT\":{\"A\":\"1\"},"
                                    "\"ptA\":[{\"pid\":1}]," ENDED;
    struct store *store = open_file(false);
    put(store, "00000000-0000-0000-0000-000000000001", rest);
    put(store, "00000000-0000-0000-0000-000000000002", rest);
    put(store, "00000000-0000-0000-0000-000000000003",
        "\"hash_id\":\"8\",\"libA\":[[\"/lib/c\",\"1\"]]");
    store_close(store);
    assert_value("SELECT count(*) FROM run", 3);
    assert_value("SELECT count(*) FROM executable", 2);
    assert_value("SELECT count(*) FROM object", 2);
    assert_value("SELECT count(*) FROM object_set", 2);
    assert_value("SELECT count(*) FROM object_set_member", 3);
    assert_value("SELECT count(*) FROM environment", 1);
    assert_value("SELECT count(*) FROM ancestors", 1);
}

TEST(empty_set_differs_from_an_unknown_one)
{
    struct store *store = open_file(false);
    put(store, UUID, "\"libA\":[]");
    store_close(store);
    assert_value("SELECT object_set_id IS NOT NULL FROM run", 1);
}

TEST(dry_run_makes_no_file_and_changes_none)
{
    struct store *store = open_file(true);
    assert_int_equal(put(store, UUID, STARTED), STORE_NEW);
    assert_int_equal(put(store, UUID, ENDED), STORE_UPDATED);
    store_close(store);
    assert_int_not_equal(access(file, F_OK), 0);

    store_close(open_file(false));
    store = open_file(true);
    assert_int_equal(put(store, UUID, ENDED), STORE_NEW);
    store_close(store);
    assert_value("SELECT count(*) FROM run", 0);
}

TEST(missing_directory_is_an_error_in_words)
{
    struct store *store;
    assert_int_not_equal(store_open(&database_sqlite, "/nonexistent/t.db", false, &store), 0);
    assert_string_equal(store_error(store), "unable to open database file");
    store_close(store);
}

EACH(NULL, remove_file)
ALL(make_directory, remove_directory)
