/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_records.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/clocks.h"
#include "conf/base/hash.h"
#include "contrib/libraries/conf_libraries.h"
#include "contrib/libraries/library_user.h"
#include "contrib/libraries/outbox/library_outbox.h"

enum { VERSION = 1, BUSY_MS = 10000, HOUR_S = 3600, BATCH = 2000 };

/* Of one sum, so that what is noted of files is bounded: there are at least so many then. */
enum { FILES_MAX = 1000 };

/* As the columns have what is not known. */
enum { UNKNOWN = -1 };

#define SECOND_NS INT64_C(1000000000)

/* `closed`: it is being sent. A program may have any bytes, and is as SQLite has text nevertheless:
 * it compares bytes, and gives back what it got. */
static const char tables[] =
    "CREATE TABLE use(id INTEGER PRIMARY KEY AUTOINCREMENT, closed INTEGER, hour INTEGER, uid "
    "INTEGER, library TEXT, kind INTEGER, source TEXT, login INTEGER, program TEXT, path TEXT, "
    "found INTEGER, after INTEGER, before INTEGER, count INTEGER, files INTEGER);"
    "CREATE UNIQUE INDEX use_open ON use(hour, uid, library, kind, source, login, program) WHERE "
    "closed = 0;"
    "CREATE INDEX use_closed ON use(id) WHERE closed = 1;"
    "CREATE TABLE file(use INTEGER, path BLOB, PRIMARY KEY(use, path)) WITHOUT ROWID;"
    "PRAGMA user_version = 1;";

enum use_query { FIND, ALL, ALL_OF, WAITING, INSERT, COUNT, FILE_SEEN, FILES, CLOSED, QUERIES };

static const char *const queries[QUERIES] = {
    [FIND] = "SELECT id FROM use WHERE closed = 0 AND hour = ?1 AND uid = ?2 AND library = ?3 AND "
             "kind = ?4 AND source = ?5 AND login = ?6 AND program = ?7",
    [ALL] = "SELECT count(*) FROM use WHERE closed = 0 AND hour = ?1",
    [ALL_OF] = "SELECT count(*) FROM use WHERE closed = 0 AND hour = ?1 AND uid = ?2",
    [WAITING] = "SELECT coalesce(max(id) - min(id), 0) FROM use",
    [INSERT] = "INSERT INTO use VALUES(NULL, 0, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, "
               "0)",
    [COUNT] = "UPDATE use SET count = count + ?2, after = min(after, ?3), before = max(before, ?4) "
              "WHERE id = ?1",
    [FILE_SEEN] = "INSERT OR IGNORE INTO file SELECT id, ?2 FROM use WHERE id = ?1 AND files < ?3",
    [FILES] = "UPDATE use SET files = files + changes() WHERE id = ?1",
    [CLOSED] = "SELECT id, uid, library, kind, source, login, program, path, found, after, before, "
               "count, files FROM use WHERE closed = 1 ORDER BY id LIMIT ?1",
};

struct use_records {
    const struct conf *conf;
    sqlite3 *database;
    sqlite3_stmt *prepared[QUERIES];
    int error; /* of the first add that failed since the last keep */
};

/* ---- SQL ------------------------------------------------------------------------------------- */

static int trouble(struct use_records *records)
{
    int code = sqlite3_errcode(records->database) & 0xff;
    return code == SQLITE_FULL                               ? -ENOSPC
           : code == SQLITE_NOMEM                            ? -ENOMEM
           : code == SQLITE_BUSY                             ? -EAGAIN
           : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? -EPROTO
                                                             : -EIO;
}

static int script(struct use_records *records, const char *sql)
{
    return sqlite3_exec(records->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                               : trouble(records);
}

static sqlite3_stmt *prepare(struct use_records *records, enum use_query query)
{
    sqlite3_stmt **prepared = &records->prepared[query];
    if (*prepared == NULL && sqlite3_prepare_v3(records->database, queries[query], -1,
                                                SQLITE_PREPARE_PERSISTENT, prepared, NULL) != 0)
        return NULL;
    sqlite3_reset(*prepared);
    return *prepared;
}

/* Returns 1 with the first column of a row, 0 where there is none, or -errno. */
static int step(struct use_records *records, sqlite3_stmt *prepared, int64_t *number)
{
    int code = prepared == NULL ? SQLITE_ERROR : sqlite3_step(prepared);
    int result = code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : trouble(records);
    if (result == 1)
        *number = sqlite3_column_int64(prepared, 0);
    if (prepared != NULL)
        sqlite3_reset(prepared);
    return result;
}

/* Runs it with the `count` numbers. As step(). */
static int run(struct use_records *records, enum use_query query, const int64_t *value, int count,
               int64_t *number)
{
    sqlite3_stmt *prepared = prepare(records, query);
    for (int i = 0; i < count && prepared != NULL; i++)
        sqlite3_bind_int64(prepared, i + 1, value[i]);
    return step(records, prepared, number);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int make(struct use_records *records)
{
    sqlite3_stmt *prepared = NULL;
    int64_t version = 0;
    int error = script(records, "BEGIN IMMEDIATE");
    if (error != 0)
        return error;
    sqlite3_prepare_v2(records->database, "PRAGMA user_version", -1, &prepared, NULL);
    int found = step(records, prepared, &version);
    sqlite3_finalize(prepared);
    error = found < 0                            ? found
            : version != 0 && version != VERSION ? -EPROTO
            : version == 0                       ? script(records, tables)
                                                 : 0;
    return error == 0 ? script(records, "COMMIT") : error;
}

int use_records_open(const struct conf *conf, struct use_records **records)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    char path[PATH_MAX];
    struct use_records *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return -ENOMEM;
    opened->conf = conf;
    snprintf(path, sizeof path, "%s/uses.db", conf->library_state);
    int error =
        sqlite3_open_v2(path, &opened->database, flags, NULL) == SQLITE_OK ? 0 : trouble(opened);
    sqlite3_busy_timeout(opened->database, BUSY_MS);
    if (error == 0)
        error = make(opened);
    if (error == 0)
        *records = opened;
    else
        use_records_close(opened);
    return error;
}

void use_records_close(struct use_records *records)
{
    if (records == NULL)
        return;
    for (int i = 0; i < QUERIES; i++)
        sqlite3_finalize(records->prepared[i]);
    sqlite3_close(records->database);
    free(records);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* What of a use is reported: less and less of it. */
enum detail { ALL_KNOWN, WITH_USER, WITH_LIBRARY, KIND_ALONE };

static int64_t hour_of(int64_t time_s)
{
    return time_s / HOUR_S - (time_s % HOUR_S < 0);
}

static struct use_told shown(const struct use_told *use, enum detail detail)
{
    struct use_told shown = *use;
    if (detail >= WITH_USER) {
        shown.program = "";
        shown.login_uid = LIBRARY_RECORD_NONE;
    }
    if (detail >= WITH_LIBRARY)
        shown.uid = LIBRARY_RECORD_NONE;
    if (detail == KIND_ALONE)
        shown.library = LIBRARY_OUTBOX_OTHERS;
    return shown;
}

static int64_t id_of(int64_t uid)
{
    return uid == LIBRARY_RECORD_NONE ? UNKNOWN : uid;
}

/* Whether there is room for one more sum of this hour. Returns 1 or 0, or -errno. */
static int has_room(struct use_records *records, int64_t hour, int64_t uid, enum detail detail)
{
    static const int64_t most[] = {USE_RECORDS_MAX / 2, USE_RECORDS_MAX / 4 * 3, USE_RECORDS_MAX};
    static const int64_t most_of_user[] = {USE_RECORDS_MAX / 16, USE_RECORDS_MAX / 8};
    int64_t waiting = 0, all = 0, of_user = 0;
    const int64_t key[] = {hour, uid};
    if (detail == KIND_ALONE)
        return 1;
    int error = run(records, WAITING, NULL, 0, &waiting);
    if (error >= 0)
        error = run(records, ALL, key, 1, &all);
    if (error >= 0 && uid > 0 && detail < WITH_LIBRARY)
        error = run(records, ALL_OF, key, 2, &of_user);
    if (error < 0)
        return error;
    return waiting < USE_RECORDS_WAITING_MAX && all < most[detail] &&
           (detail >= WITH_LIBRARY || of_user < most_of_user[detail]);
}

static sqlite3_stmt *prepare_key(struct use_records *records, enum use_query query, int64_t hour,
                                 const struct use_told *use)
{
    sqlite3_stmt *prepared = prepare(records, query);
    if (prepared == NULL)
        return NULL;
    sqlite3_bind_int64(prepared, 1, hour);
    sqlite3_bind_int64(prepared, 2, id_of(use->uid));
    sqlite3_bind_text(prepared, 3, use->library, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(prepared, 4, (int)use->kind);
    sqlite3_bind_text(prepared, 5, use->source, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(prepared, 6, id_of(use->login_uid));
    sqlite3_bind_text(prepared, 7, use->program, -1, SQLITE_TRANSIENT);
    return prepared;
}

static int insert(struct use_records *records, int64_t hour, const struct use_told *use,
                  int64_t *id)
{
    sqlite3_stmt *prepared = prepare_key(records, INSERT, hour, use);
    if (prepared == NULL)
        return trouble(records);
    sqlite3_bind_text(prepared, 8, use->path, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(prepared, 9, (int64_t)clock_ns(CLOCK_REALTIME));
    sqlite3_bind_int64(prepared, 10, use->after_s);
    sqlite3_bind_int64(prepared, 11, use->before_s);
    int error = step(records, prepared, id);
    *id = sqlite3_last_insert_rowid(records->database);
    return error;
}

/* The sum that the use is part of, made where it is missing. Returns 0 or -errno. */
static int find_sum(struct use_records *records, const struct use_told *use, int64_t *id)
{
    const int64_t hour = hour_of(use->after_s / 2 + use->before_s / 2);
    for (enum detail detail = ALL_KNOWN;; detail++) {
        struct use_told part = shown(use, detail);
        int found = step(records, prepare_key(records, FIND, hour, &part), id);
        if (found != 0)
            return found < 0 ? found : 0;
        int room = has_room(records, hour, id_of(part.uid), detail);
        if (room != 0)
            return room < 0 ? room : insert(records, hour, &part, id);
    }
}

static int add(struct use_records *records, const struct use_told *use)
{
    struct digest digest;
    int64_t id = 0, none;
    int error =
        sqlite3_get_autocommit(records->database) == 0 ? 0 : script(records, "BEGIN IMMEDIATE");
    if (error == 0)
        error = find_sum(records, use, &id);
    if (error != 0)
        return error;
    hash_bytes(use->path, strlen(use->path), &digest);
    uint64_t count = use->count > INT32_MAX ? INT32_MAX : use->count;
    error = run(records, COUNT, (const int64_t[]){id, (int64_t)count, use->after_s, use->before_s},
                4, &none);
    sqlite3_stmt *seen = prepare(records, FILE_SEEN);
    if (error < 0 || seen == NULL)
        return error < 0 ? error : trouble(records);
    sqlite3_bind_int64(seen, 1, id);
    sqlite3_bind_blob(seen, 2, &digest, sizeof digest, SQLITE_TRANSIENT);
    sqlite3_bind_int(seen, 3, FILES_MAX);
    error = step(records, seen, &none);
    return error < 0 ? error : run(records, FILES, &id, 1, &none);
}

int use_records_add(struct use_records *records, const struct use_told *use)
{
    if (records->error == 0)
        records->error = add(records, use);
    return records->error;
}

static void abort_adding(struct use_records *records)
{
    if (sqlite3_get_autocommit(records->database) == 0)
        script(records, "ROLLBACK");
    records->error = 0;
}

int use_records_keep(struct use_records *records)
{
    int error = records->error;
    if (error == 0 && sqlite3_get_autocommit(records->database) == 0)
        error = script(records, "COMMIT");
    abort_adding(records);
    return error;
}

/* ---- Sending --------------------------------------------------------------------------------- */

static int64_t known(int64_t id)
{
    return id == UNKNOWN ? LIBRARY_RECORD_NONE : id;
}

static int tell(struct use_records *records, struct library_outbox *box, sqlite3_stmt *row)
{
    const struct library_record_file none = LIBRARY_RECORD_NO_FILE;
    char user[LIBRARY_USER_SIZE] = "";
    const char *library = (const char *)sqlite3_column_text(row, 2);
    const char *source = (const char *)sqlite3_column_text(row, 4);
    int kind = sqlite3_column_int(row, 3);
    if (library == NULL || source == NULL || kind < 0 || kind >= USE_KINDS)
        return -EIO;
    const struct conf_line *group = conf_library_group(records->conf, library);
    int64_t uid = sqlite3_column_int64(row, 1);
    if (uid != UNKNOWN)
        library_user_name((uint32_t)uid, user);
    struct library_record_source record = {
        .is_use = true,
        .what = use_kind_word((enum use_kind)kind),
        .library = library,
        .group = group == NULL ? "" : group->name,
        .path = (const char *)sqlite3_column_text(row, 7),
        .files = (uint64_t)sqlite3_column_int64(row, 12),
        .count = (uint64_t)sqlite3_column_int64(row, 11),
        .found_ns = sqlite3_column_int64(row, 8),
        .after_ns = sqlite3_column_int64(row, 9) * SECOND_NS,
        .before_ns = sqlite3_column_int64(row, 10) * SECOND_NS,
        .source = source,
        .who = {.uid = known(uid),
                .login_uid = known(sqlite3_column_int64(row, 5)),
                .user = user,
                .program = (const char *)sqlite3_column_text(row, 6),
                .job = LIBRARY_RECORD_NONE},
        .was = none,
        .is = none,
    };
    return library_outbox_add(box, &record);
}

/* Removes the sums up to this one: they are in the outbox. */
static int forget(struct use_records *records, int64_t last)
{
    char sql[192];
    snprintf(sql, sizeof sql,
             "BEGIN IMMEDIATE; DELETE FROM file WHERE use IN (SELECT id FROM use WHERE closed = 1 "
             "AND id <= %lld); DELETE FROM use WHERE closed = 1 AND id <= %lld; COMMIT",
             (long long)last, (long long)last);
    int error = script(records, sql);
    abort_adding(records);
    return error;
}

/* Returns how many there were, or -errno. */
static int send_some(struct use_records *records, struct library_outbox *box)
{
    int64_t last = 0;
    int count = 0, code = SQLITE_ERROR, error = 0;
    sqlite3_stmt *row = prepare(records, CLOSED);
    if (row == NULL)
        return trouble(records);
    sqlite3_bind_int(row, 1, BATCH);
    while (error == 0 && (code = sqlite3_step(row)) == SQLITE_ROW) {
        error = tell(records, box, row);
        last = sqlite3_column_int64(row, 0);
        count++;
    }
    if (error == 0 && code != SQLITE_DONE)
        error = trouble(records);
    sqlite3_reset(row);
    int kept = library_outbox_keep(box);
    if (error == 0)
        error = kept;
    if (error == 0 && count > 0)
        error = forget(records, last);
    return error == 0 ? count : error;
}

int use_records_send(struct use_records *records, int64_t now_s)
{
    char sql[96];
    abort_adding(records);
    /* sums of later hours too: the clock was set back */
    snprintf(sql, sizeof sql, "UPDATE use SET closed = 1 WHERE closed = 0 AND hour <> %lld",
             (long long)hour_of(now_s));
    int error = script(records, sql);
    struct library_outbox *box = error == 0 ? library_outbox_new(records->conf) : NULL;
    if (box == NULL)
        return error == 0 ? -ENOMEM : error;
    int count = 1;
    while (count > 0)
        count = send_some(records, box);
    library_outbox_free(box);
    return count;
}
