/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The store in one SQLite file; its tables are in schema.sql.
 */
#include "store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "canonical.h"
#include "coverage_sqlite.h"
#include "hash.h"
#include "schema.h"

#define BUSY_TIMEOUT_MS 60000

enum statement {
    FIND_RUN,
    PUT_RUN,
    FIND_EXECUTABLE,
    ADD_EXECUTABLE,
    FIND_OBJECT,
    ADD_OBJECT,
    FIND_SET,
    ADD_SET,
    ADD_MEMBER,
    FIND_ENVIRONMENT,
    ADD_ENVIRONMENT,
    FIND_ANCESTORS,
    ADD_ANCESTORS,
    STATEMENTS
};

/* PUT_RUN is not here: it is made from record_fields. */
static const char *const statement_sql[STATEMENTS] = {
    [FIND_RUN] = "SELECT is_start_only FROM run WHERE uuid = ?",
    [FIND_EXECUTABLE] = "SELECT id FROM executable WHERE path = ? AND hash_id = ?",
    [ADD_EXECUTABLE] = "INSERT INTO executable (path, hash_id) VALUES (?, ?)",
    [FIND_OBJECT] = "SELECT id FROM object WHERE path = ? AND hash = ?",
    [ADD_OBJECT] = "INSERT INTO object (path, hash) VALUES (?, ?)",
    [FIND_SET] = "SELECT id FROM object_set WHERE hash = ?",
    [ADD_SET] = "INSERT INTO object_set (hash) VALUES (?)",
    [ADD_MEMBER] = "INSERT INTO object_set_member (object_set_id, object_id) VALUES (?, ?)",
    [FIND_ENVIRONMENT] = "SELECT id FROM environment WHERE hash = ?",
    [ADD_ENVIRONMENT] = "INSERT INTO environment (hash, json) VALUES (?, ?)",
    [FIND_ANCESTORS] = "SELECT id FROM ancestors WHERE hash = ?",
    [ADD_ANCESTORS] = "INSERT INTO ancestors (hash, json) VALUES (?, ?)",
};

/* The columns of `run` that are no plain fields of a record, in the order of bind_rest(). */
static const char *const other_columns[] = {"is_start_only", "cmdline",        "executable_id",
                                            "object_set_id", "environment_id", "ancestors_id"};

/* Fields of a record that are stored elsewhere: in `executable`. */
static bool is_column(const struct record_field *field)
{
    return strcmp(field->column, "exec_path") != 0 && strcmp(field->column, "hash_id") != 0;
}

struct store {
    sqlite3 *db;
    sqlite3_stmt *statement[STATEMENTS];
    bool dry_run;
    char error[512];
};

/* What the rows of other tables that a run points to are called there; 0 for none. */
struct run_links {
    sqlite3_int64 executable, object_set, environment, ancestors;
};

/* ---- Trouble ------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static int refuse(struct store *store, const char *format,
                                                        ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(store->error, sizeof store->error, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static int sqlite_trouble(struct store *store)
{
    snprintf(store->error, sizeof store->error, "%s", sqlite3_errmsg(store->db));
    return -EIO;
}

static const char *store_error(const struct store *store)
{
    return store == NULL ? "out of memory" : store->error;
}

static int run_sql(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : sqlite_trouble(store);
}

/* ---- Statements ---------------------------------------------------------------------------- */

static int finish(struct store *store, enum statement which, int code)
{
    int error = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : sqlite_trouble(store);
    sqlite3_reset(store->statement[which]);
    return error;
}

/* Binds as many of the two texts as the statement takes. */
static sqlite3_stmt *with_texts(struct store *store, enum statement which, const char *first,
                                const char *second)
{
    sqlite3_stmt *statement = store->statement[which];
    sqlite3_bind_text(statement, 1, first, -1, SQLITE_STATIC);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite3_bind_text(statement, 2, second, -1, SQLITE_STATIC);
    return statement;
}

/* The id of a row, 0 when there is none. */
static int find_row(struct store *store, enum statement find, const char *first, const char *second,
                    sqlite3_int64 *id)
{
    sqlite3_stmt *statement = with_texts(store, find, first, second);
    int code = sqlite3_step(statement);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return finish(store, find, code);
}

static int add_row(struct store *store, enum statement add, const char *first, const char *second,
                   sqlite3_int64 *id)
{
    int error = finish(store, add, sqlite3_step(with_texts(store, add, first, second)));
    if (error == 0)
        *id = sqlite3_last_insert_rowid(store->db);
    return error;
}

/* The id of what is stored once, adding it when it is new. */
static int intern(struct store *store, enum statement find, enum statement add, const char *first,
                  const char *second, sqlite3_int64 *id)
{
    int error = find_row(store, find, first, second, id);
    return error != 0 || *id != 0 ? error : add_row(store, add, first, second, id);
}

/* ---- What runs share ------------------------------------------------------------------------ */

static int hash_json(struct store *store, struct json_object *value, const char **text,
                     char hash[HASH_HEX_SIZE])
{
    size_t size;
    *text = canonical_text(value, &size);
    if (*text == NULL)
        return refuse(store, "out of memory");
    if (hash_sha1(*text, size, hash) != 0)
        return refuse(store, "this host's crypto policy has no SHA-1");
    return 0;
}

static int intern_json(struct store *store, enum statement find, enum statement add,
                       struct json_object *value, sqlite3_int64 *id)
{
    char hash[HASH_HEX_SIZE];
    const char *text;
    if (value == NULL)
        return 0;
    int error = hash_json(store, value, &text, hash);
    return error != 0 ? error : intern(store, find, add, hash, text, id);
}

static int add_member(struct store *store, sqlite3_int64 set, struct json_object *lib)
{
    sqlite3_int64 object;
    const char *path = json_object_get_string(json_object_array_get_idx(lib, 0));
    const char *hash = json_object_get_string(json_object_array_get_idx(lib, 1));
    int error = intern(store, FIND_OBJECT, ADD_OBJECT, path, hash, &object);
    if (error != 0)
        return error;
    sqlite3_bind_int64(store->statement[ADD_MEMBER], 1, set);
    sqlite3_bind_int64(store->statement[ADD_MEMBER], 2, object);
    return finish(store, ADD_MEMBER, sqlite3_step(store->statement[ADD_MEMBER]));
}

static int intern_set(struct store *store, struct json_object *libs, sqlite3_int64 *id)
{
    char hash[HASH_HEX_SIZE];
    const char *text;
    if (libs == NULL)
        return 0;
    int error = hash_json(store, libs, &text, hash);
    if (error == 0)
        error = find_row(store, FIND_SET, hash, NULL, id);
    if (error != 0 || *id != 0)
        return error;
    error = add_row(store, ADD_SET, hash, NULL, id);
    size_t length = json_object_array_length(libs);
    for (size_t i = 0; error == 0 && i < length; i++)
        error = add_member(store, *id, json_object_array_get_idx(libs, i));
    return error;
}

static int intern_executable(struct store *store, const struct run_record *record,
                             sqlite3_int64 *id)
{
    if (record->exec_path == NULL)
        return 0;
    const char *hash = record->hash_id == NULL ? "0" : record->hash_id;
    return intern(store, FIND_EXECUTABLE, ADD_EXECUTABLE, record->exec_path, hash, id);
}

static int link_run(struct store *store, const struct run_record *record, struct run_links *links)
{
    int error = intern_executable(store, record, &links->executable);
    if (error == 0)
        error = intern_set(store, record->libs, &links->object_set);
    if (error == 0)
        error = intern_json(store, FIND_ENVIRONMENT, ADD_ENVIRONMENT, record->environment,
                            &links->environment);
    if (error == 0)
        error =
            intern_json(store, FIND_ANCESTORS, ADD_ANCESTORS, record->ancestors, &links->ancestors);
    return error;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void bind_field(sqlite3_stmt *statement, int at, const struct record_field *field,
                       const struct run_record *record)
{
    const void *member = (const char *)record + field->offset;
    const struct record_int *whole = member;
    const struct record_real *real = member;
    switch (field->kind) {
    case RECORD_TEXT:
        sqlite3_bind_text(statement, at, *(const char *const *)member, -1, SQLITE_STATIC);
        break;
    case RECORD_INT:
        if (whole->known)
            sqlite3_bind_int64(statement, at, whole->value);
        break;
    case RECORD_REAL:
        if (real->known)
            sqlite3_bind_double(statement, at, real->value);
        break;
    }
}

static void bind_link(sqlite3_stmt *statement, int at, sqlite3_int64 id)
{
    if (id != 0)
        sqlite3_bind_int64(statement, at, id);
}

static void bind_rest(sqlite3_stmt *statement, int at, const struct run_record *record,
                      const struct run_links *links)
{
    sqlite3_bind_int(statement, at++, record->is_start_only);
    if (record->cmdline != NULL)
        sqlite3_bind_text(statement, at, canonical_text(record->cmdline, NULL), -1, SQLITE_STATIC);
    at++;
    bind_link(statement, at++, links->executable);
    bind_link(statement, at++, links->object_set);
    bind_link(statement, at++, links->environment);
    bind_link(statement, at++, links->ancestors);
}

static int write_run(struct store *store, const struct run_record *record)
{
    struct run_links links = {0};
    int error = link_run(store, record, &links);
    if (error != 0)
        return error;
    sqlite3_stmt *statement = store->statement[PUT_RUN];
    sqlite3_clear_bindings(statement); /* to NULL */
    int at = 1;
    for (size_t i = 0; i < record_field_count; i++)
        if (is_column(&record_fields[i]))
            bind_field(statement, at++, &record_fields[i], record);
    bind_rest(statement, at, record, &links);
    return finish(store, PUT_RUN, sqlite3_step(statement));
}

/* What is known of the run so far: STORE_NEW for nothing, STORE_UPDATED for its start only. */
static int look_up(struct store *store, const char *uuid, enum store_result *known)
{
    sqlite3_stmt *statement = with_texts(store, FIND_RUN, uuid, NULL);
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW)
        *known = STORE_NEW;
    else
        *known = sqlite3_column_int(statement, 0) != 0 ? STORE_UPDATED : STORE_UNCHANGED;
    return finish(store, FIND_RUN, code);
}

static int store_put_run(struct store *store, const struct run_record *record,
                         enum store_result *result)
{
    enum store_result outcome;
    int error = look_up(store, record->uuid, &outcome);
    if (error == 0 && outcome == STORE_UPDATED && record->is_start_only)
        outcome = STORE_UNCHANGED;
    if (error == 0 && outcome != STORE_UNCHANGED)
        error = write_run(store, record);
    if (error == 0)
        *result = outcome;
    return error;
}

static int store_put_coverage(struct store *store, const struct coverage_load *record,
                              enum store_result *result)
{
    bool fresh;
    if (coverage_sqlite_put(store->db, record, &fresh) != SQLITE_OK)
        return sqlite_trouble(store);
    *result = fresh ? STORE_NEW : STORE_UNCHANGED;
    return 0;
}

/* ---- Transactions --------------------------------------------------------------------------- */

/* A dry run is one transaction that is never committed. */
static int store_begin(struct store *store)
{
    bool open = sqlite3_get_autocommit(store->db) == 0;
    return open ? 0 : run_sql(store, "BEGIN IMMEDIATE");
}

static int store_commit(struct store *store)
{
    return store->dry_run ? 0 : run_sql(store, "COMMIT");
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static int query_int(struct store *store, const char *sql, int *value)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return sqlite_trouble(store);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 0 : sqlite_trouble(store);
}

/* Makes the tables in a new file; refuses what is not ours or not ours yet. In a transaction, so
 * that two loaders that start at once make them once. */
static int ensure_schema(struct store *store)
{
    int version = 0, tables = 0;
    int error = store_begin(store);
    if (error == 0)
        error = query_int(store, "PRAGMA user_version", &version);
    if (error == 0)
        error = query_int(store, "SELECT count(*) FROM sqlite_master", &tables);
    if (error != 0)
        return error;
    if (version > SCHEMA_VERSION)
        return refuse(store,
                      "its schema is version %d and this jobtrail-load knows %d: use the newer "
                      "jobtrail-load",
                      version, SCHEMA_VERSION);
    if (version == 0 && tables > 0)
        return refuse(store, "is an SQLite file of another program");
    if (version == 0)
        error = run_sql(store, schema_sql);
    if (error == 0 && coverage_sqlite_prepare(store->db) != SQLITE_OK)
        error = sqlite_trouble(store);
    return error == 0 ? store_commit(store) : error;
}

/* The columns of `run` that a record fills, or one '?' for each, separated by commas. */
static void list_columns(sqlite3_str *sql, bool names)
{
    for (size_t i = 0; i < record_field_count; i++)
        if (is_column(&record_fields[i]))
            sqlite3_str_appendf(sql, "%s, ", names ? record_fields[i].column : "?");
    size_t count = sizeof other_columns / sizeof other_columns[0];
    for (size_t i = 0; i < count; i++)
        sqlite3_str_appendf(sql, "%s%s", names ? other_columns[i] : "?", i + 1 < count ? ", " : "");
}

static char *put_run_sql(sqlite3 *db)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendall(sql, "INSERT OR REPLACE INTO run (");
    list_columns(sql, true);
    sqlite3_str_appendall(sql, ") VALUES (");
    list_columns(sql, false);
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

static int prepare(struct store *store, enum statement which, const char *sql)
{
    int code = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                  &store->statement[which], NULL);
    return code == SQLITE_OK ? 0 : sqlite_trouble(store);
}

static int prepare_all(struct store *store)
{
    char *put_run = put_run_sql(store->db);
    int error = put_run == NULL ? refuse(store, "out of memory") : 0;
    for (enum statement i = 0; error == 0 && i < STATEMENTS; i++)
        error = prepare(store, i, i == PUT_RUN ? put_run : statement_sql[i]);
    sqlite3_free(put_run);
    return error;
}

/* The log and its index stay when the loader ends: people who may read the store but not write in
 * its directory could not open it otherwise (sqlite.org/wal.html, "Read-Only Databases"). */
static int use_shared_log(struct store *store)
{
    int persist = 1;
    if (store->dry_run)
        return 0;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
    return run_sql(store, "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 1048576");
}

static int open_file(struct store *store, const char *location)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE;
    if (store->dry_run && access(location, F_OK) != 0)
        location = ":memory:";
    if (sqlite3_open_v2(location, &store->db, flags, NULL) != SQLITE_OK)
        return sqlite_trouble(store);
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    return run_sql(store, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL");
}

static int store_open(const char *location, bool dry_run, struct store **out)
{
    struct store *store = calloc(1, sizeof *store);
    *out = store;
    if (store == NULL)
        return -ENOMEM;
    store->dry_run = dry_run;
    int error = open_file(store, location);
    if (error == 0)
        error = ensure_schema(store);
    if (error == 0)
        error = use_shared_log(store);
    return error == 0 ? prepare_all(store) : error;
}

static void store_close(struct store *store)
{
    if (store == NULL)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->statement[i]);
    sqlite3_close(store->db);
    free(store);
}

const struct store_ops store_sqlite = {
    .scheme = "sqlite",
    .open = store_open,
    .begin = store_begin,
    .put_run = store_put_run,
    .put_coverage = store_put_coverage,
    .commit = store_commit,
    .error = store_error,
    .close = store_close,
};
