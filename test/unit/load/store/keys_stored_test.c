/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What submit/definition/keys.def says has a column is there once the record has been loaded.
 */
#include <json-c/json.h>

#include "test/unit/fixture/cases.h"
#include <sqlite3.h>

#include "submit/load/store/store.h"
#include "test/unit/fixture/defined_keys.h"
#include "test/unit/fixture/made_store.h"
#include "test/unit/fixture/sample_records.h"

/* The sample in a store with nothing else; to be closed. */
static sqlite3 *load_sample(enum record_kind kind)
{
    struct store *store;
    struct record record;
    struct load_reason reason = {""};
    enum store_result result;
    sqlite3 *db;
    char *text = sample_record(kind);
    unlink(file);
    if (load_record(text, strlen(text), kind, NULL, &record, &reason) != 0)
        fail_msg("%s", reason.text);
    if (store_open(&database_sqlite, file, false, &store) != 0 ||
        store_put(store, &record, 1, &result) != 0)
        fail_msg("%s", store_error(store));
    store_close(store);
    load_record_free(&record);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    return db;
}

/* The value of the record, as JSON. */
static struct json_object *value_in(struct json_object *record, const struct defined_key *defined)
{
    struct json_object *table = record;
    if (defined->table[0] != '\0')
        table = json_object_object_get(record, defined->table);
    if (json_object_is_type(table, json_type_array))
        table = json_object_array_get_idx(table, 0);
    return json_object_object_get(table, defined->key);
}

static bool is_same(sqlite3_stmt *row, struct json_object *value)
{
    double number = json_object_get_double(value);
    const char *text = (const char *)sqlite3_column_text(row, 0);
    if (text == NULL)
        return false;
    if (sqlite3_column_type(row, 0) == SQLITE_TEXT)
        return strcmp(text, json_object_get_string(value)) == 0;
    return sqlite3_column_double(row, 0) >= number && sqlite3_column_double(row, 0) <= number;
}

static void assert_stored(sqlite3 *db, const struct defined_key *defined,
                          struct json_object *record)
{
    sqlite3_stmt *row;
    struct json_object *value = value_in(record, defined);
    char sql[128];
    bool is_path =
        strcmp(defined->store, "executable") == 0 && strcmp(defined->column, "exec_path") == 0;
    if (value == NULL)
        fail_msg("%s.%s has no value in the sample: test/unit/fixture", defined->table,
                 defined->key);
    snprintf(sql, sizeof sql, "SELECT `%s` FROM `%s`", is_path ? "path" : defined->column,
             defined->store);
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_step(row) != SQLITE_ROW || !is_same(row, value))
        fail_msg("%s is not %s.%s", sql, defined->table, defined->key);
    sqlite3_finalize(row);
}

TEST(each_value_with_a_column_is_stored_there)
{
    for (enum record_kind kind = RECORD_RUN; kind < RECORD_KINDS; kind++) {
        if (!sample_has(kind))
            continue;
        sqlite3 *db = load_sample(kind);
        char *text = sample_record(kind);
        struct json_object *record = json_tokener_parse(text);
        for (size_t i = 0; i < defined_key_count; i++)
            /* the time of a record is kept where the run has none */
            if (defined_for(&defined_keys[i], kind) && defined_keys[i].store != NULL &&
                strcmp(defined_keys[i].column, "record_epoch") != 0)
                assert_stored(db, &defined_keys[i], record);
        json_object_put(record);
        free(text);
        sqlite3_close(db);
    }
}

ALL(make_directory, remove_directory)
