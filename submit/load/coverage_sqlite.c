/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coverage_sqlite.h"

#include <string.h>

/* Columns have the names of the record's keys, but for job_id_raw, as in the table `run`. */
static const char table_sql[] =
    "CREATE TABLE IF NOT EXISTS coverage ("
    " uuid TEXT NOT NULL,"        /* of the record: a job on a node */
    " position INTEGER NOT NULL," /* of the fact in it */
    " cluster TEXT, syshost TEXT, user TEXT, account TEXT, partition TEXT,"
    " job_id_raw INTEGER, array_job_id INTEGER, array_task_id INTEGER, het_job_id INTEGER,"
    " het_offset INTEGER, restart_count INTEGER, node TEXT, dropped INTEGER,"
    " step_id TEXT, outcome TEXT NOT NULL, program TEXT, tasks INTEGER NOT NULL,"
    " first_task INTEGER, leader INTEGER,"
    " core_seconds REAL, start_time REAL, end_time REAL,"
    " PRIMARY KEY (uuid, position)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS coverage_job ON coverage (job_id_raw, step_id, leader);"
    "CREATE INDEX IF NOT EXISTS coverage_start ON coverage (start_time);";

static const char *const job_keys[] = {
    "cluster",       "syshost",      "user",          "account",    "partition",
    "job_id",        "array_job_id", "array_task_id", "het_job_id", "het_offset",
    "restart_count", "node",         "dropped",
};
static const char *const fact_keys[] = {
    "step_id", "outcome",      "program",    "tasks",    "first_task",
    "leader",  "core_seconds", "start_time", "end_time",
};

enum {
    JOB_KEYS = sizeof job_keys / sizeof job_keys[0],
    FACT_KEYS = sizeof fact_keys / sizeof fact_keys[0],
};

int coverage_sqlite_prepare(sqlite3 *db)
{
    return sqlite3_exec(db, table_sql, NULL, NULL, NULL);
}

static void bind(sqlite3_stmt *statement, int at, struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_int:
        sqlite3_bind_int64(statement, at, json_object_get_int64(value));
        break;
    case json_type_double:
        sqlite3_bind_double(statement, at, json_object_get_double(value));
        break;
    case json_type_string:
        sqlite3_bind_text(statement, at, json_object_get_string(value), -1, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_null(statement, at);
    }
}

static char *insert_sql(sqlite3 *db)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendall(sql, "INSERT INTO coverage (uuid, position");
    for (size_t i = 0; i < JOB_KEYS; i++)
        sqlite3_str_appendf(sql, ", %s",
                            strcmp(job_keys[i], "job_id") == 0 ? "job_id_raw" : job_keys[i]);
    for (size_t i = 0; i < FACT_KEYS; i++)
        sqlite3_str_appendf(sql, ", %s", fact_keys[i]);
    sqlite3_str_appendall(sql, ") VALUES (?, ?");
    for (size_t i = 0; i < JOB_KEYS + FACT_KEYS; i++)
        sqlite3_str_appendall(sql, ", ?");
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

static int put_fact(sqlite3_stmt *statement, const struct coverage_load *record, size_t position)
{
    struct json_object *fact = json_object_array_get_idx(record->facts, position);
    int at = 1;
    sqlite3_bind_text(statement, at++, record->uuid, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, at++, (sqlite3_int64)position);
    for (size_t i = 0; i < JOB_KEYS; i++)
        bind(statement, at++, json_object_object_get(record->job, job_keys[i]));
    for (size_t i = 0; i < FACT_KEYS; i++)
        bind(statement, at++, json_object_object_get(fact, fact_keys[i]));
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int is_known(sqlite3 *db, const char *uuid, bool *known)
{
    sqlite3_stmt *statement;
    int code =
        sqlite3_prepare_v2(db, "SELECT 1 FROM coverage WHERE uuid = ?", -1, &statement, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_bind_text(statement, 1, uuid, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    *known = code == SQLITE_ROW;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_facts(sqlite3 *db, const struct coverage_load *record)
{
    sqlite3_stmt *statement;
    char *sql = insert_sql(db);
    int code = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
    if (code != SQLITE_OK)
        return code;
    size_t count = json_object_array_length(record->facts);
    for (size_t i = 0; code == SQLITE_OK && i < count; i++)
        code = put_fact(statement, record, i);
    sqlite3_finalize(statement);
    return code;
}

int coverage_sqlite_put(sqlite3 *db, const struct coverage_load *record, bool *fresh)
{
    bool known = false;
    int code = is_known(db, record->uuid, &known);
    if (code == SQLITE_OK && !known)
        code = put_facts(db, record);
    if (code == SQLITE_OK)
        *fresh = !known;
    return code;
}
