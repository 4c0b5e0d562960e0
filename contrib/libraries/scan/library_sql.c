/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/text.h"

enum { VERSION = 1 };

#define FILE_TYPES(p)                                                                              \
    p "inode INTEGER, " p "size INTEGER, " p "mtime INTEGER, " p "ctime INTEGER, " p               \
      "sha1 BLOB, " p "build_id BLOB, " p "soname TEXT, " p "name TEXT, " p "package TEXT, " p     \
      "version TEXT, " p "owner INTEGER, " p "private INTEGER"

/* `log` and `other_log`: in which logs a settled change is still to be reported. */
#define PENDING_TABLE                                                                              \
    "pending(key BLOB PRIMARY KEY, log TEXT, other_log TEXT, scan INTEGER, kind INTEGER, first "   \
    "INTEGER,"                                                                                     \
    " forgotten INTEGER, was_place INTEGER, is_place INTEGER, device INTEGER, from_key BLOB,"      \
    " links INTEGER, found INTEGER, " FILE_TYPES("was_") ", " FILE_TYPES("is_") ") WITHOUT ROWID;"

/* An index on `log` has the settled changes alone, so that a scan does not pay for it. */
#define PENDING_INDEXES(p)                                                                         \
    "CREATE INDEX " p "pending_inode ON pending(device, is_inode, is_ctime);"                      \
    "CREATE INDEX " p "pending_sha1 ON pending(was_sha1, forgotten, was_owner, was_inode)"         \
    " WHERE kind = 6;"                                                                             \
    "CREATE INDEX " p "pending_key ON pending(was_sha1, forgotten, was_owner) WHERE kind = 6;"     \
    "CREATE INDEX " p "pending_log ON pending(log, key) WHERE log IS NOT NULL;"                    \
    "CREATE INDEX " p "pending_other ON pending(other_log, key) WHERE other_log IS NOT NULL;"

/* `atime`: the time of last access that is counted already; NULL: none was seen. */
static const char tables[] = "CREATE TABLE file(key BLOB PRIMARY KEY, place INTEGER, " FILE_TYPES(
    "") ", since INTEGER, atime INTEGER) WITHOUT ROWID;"
        "CREATE TABLE place(id INTEGER PRIMARY KEY, key BLOB, device INTEGER, inode INTEGER);"
        "CREATE TABLE log(name TEXT PRIMARY KEY, base INTEGER, entry INTEGER, new INTEGER) WITHOUT "
        "ROWID;"
        "CREATE TABLE " PENDING_TABLE PENDING_INDEXES("") LIBRARY_SQL_READS
    "PRAGMA user_version = 1;";

/* A dry run finds changes in memory, and those that were not reported before. */
static const char dry_tables[] = "CREATE TEMP TABLE " PENDING_TABLE PENDING_INDEXES(
    "temp.") "INSERT INTO temp.pending SELECT * FROM main.pending WHERE log IS NOT NULL OR "
             "other_log IS NOT"
             " NULL;";

/* Who removes what somebody else has a copy of has not moved it there. */
#define REMOVED "kind = 6 AND forgotten = 0 AND was_owner = ?5"

/* Of one file that has several names, all; of a copy of its file system, which has the same
   numbers, none. */
#define SAME_FILE                                                                                  \
    "inode = ?1 AND size = ?2 AND mtime = ?3 AND ctime = ?4 AND place IN"                          \
    " (SELECT id FROM place WHERE device = ?6)"

#define CHANGE_COLUMNS                                                                             \
    "SELECT key, kind, first, from_key, links, found, device, " LIBRARY_SQL_COLUMNS(               \
        "was_") ", " LIBRARY_SQL_COLUMNS("is_") " FROM pending WHERE "

static const char *const queries[QUERIES] = {
    [QUERY_ROWS] =
        "SELECT key, place, " LIBRARY_SQL_COLUMNS("") " FROM file WHERE key > ? AND key < ?"
                                                      " ORDER BY key",
    [QUERY_PEND] =
        "INSERT OR REPLACE INTO pending(key, scan, kind, first, forgotten,"
        " was_place, is_place, device, " LIBRARY_SQL_COLUMNS("was_") ", " LIBRARY_SQL_COLUMNS(
            "is_") ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
                   " ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30,"
                   " ?31, ?32)",
    [QUERY_KNOWN] = "SELECT " LIBRARY_SQL_COLUMNS(
        "is_") " FROM pending WHERE device = ?1 AND is_inode ="
               " ?2 AND is_size = ?3 AND is_mtime = ?4 AND is_ctime = ?5 LIMIT 1",
    [QUERY_ADDED] = "SELECT key, is_sha1, is_size, is_inode, is_mtime, is_owner FROM pending WHERE"
                    " kind = 1 ORDER BY key",
    /* The same inode first; what has no hash is known by it alone. An index gives each of the three
       at once, however many have this content. */
    [QUERY_MOVED] =
        "SELECT key FROM ("
        "SELECT * FROM (SELECT 1 AS rank, key FROM pending WHERE " REMOVED
        " AND was_sha1 = ?1 AND was_inode = ?3 AND was_size = ?2 AND ?2 > 0 ORDER BY key LIMIT 1)"
        " UNION ALL SELECT * FROM (SELECT 2, key FROM pending WHERE " REMOVED
        " AND was_sha1 IS NULL AND was_inode = ?3 AND was_size = ?2 AND was_mtime = ?4"
        " ORDER BY key LIMIT 1)"
        " UNION ALL SELECT * FROM (SELECT 3, key FROM pending WHERE " REMOVED
        " AND was_sha1 = ?1 AND was_size = ?2 AND ?2 > 0 ORDER BY key LIMIT 1)"
        ") ORDER BY rank LIMIT 1",
    [QUERY_MOVE] = "UPDATE pending SET kind = 5, from_key = ?2, (was_place, " LIBRARY_SQL_COLUMNS(
        "was_") ") = (SELECT was_place, " LIBRARY_SQL_COLUMNS("was_") " FROM pending WHERE key = "
                                                                      "?2) "
                                                                      "WHERE key = ?1",
    [QUERY_KEEP] = "INSERT OR REPLACE INTO file(key, place, " LIBRARY_SQL_COLUMNS(
        "") ", since) SELECT key, is_place, " LIBRARY_SQL_COLUMNS("is_") ", COALESCE((SELECT since "
                                                                         "FROM file WHERE file.key "
                                                                         "= pending.key), ?1)"
                                                                         " FROM pending WHERE kind "
                                                                         "<> 6",
    [QUERY_FORGET] = "UPDATE pending SET forgotten = 1 WHERE key = ?1",
    [QUERY_CHANGES] = CHANGE_COLUMNS "log IS NOT NULL ORDER BY log, key",
    [QUERY_CHANGES_OF] = CHANGE_COLUMNS "log = ?1 ORDER BY key",
    [QUERY_CHANGES_OTHER] = CHANGE_COLUMNS "other_log = ?1 ORDER BY key",
    [QUERY_LOGS] = "SELECT log FROM pending WHERE log > ?1 UNION SELECT other_log FROM pending"
                   " WHERE other_log > ?1 ORDER BY 1 LIMIT ?2",
    [QUERY_LOG] = "SELECT base, entry, new FROM log WHERE name = ?1",
    [QUERY_SET_LOG] = "INSERT OR REPLACE INTO log VALUES(?1, ?2, ?3, ?4)",
    [QUERY_TOLD] = "DELETE FROM pending WHERE log IS NOT NULL OR other_log IS NOT NULL",
    [QUERY_TOLD_OF] = "DELETE FROM pending WHERE log = ?1 AND other_log IS NULL",
    [QUERY_TOLD_OTHER] = "DELETE FROM pending WHERE other_log = ?1 AND log IS NULL",
    [QUERY_TOLD_HALF] = "UPDATE pending SET log = NULL WHERE log = ?1",
    [QUERY_TOLD_OTHER_HALF] = "UPDATE pending SET other_log = NULL WHERE other_log = ?1",
    [QUERY_PLACE] = "INSERT OR REPLACE INTO place VALUES(?1, ?2, ?3, ?4)",
    [QUERY_DROP_PLACE] = "DELETE FROM pending WHERE"
                         " CASE kind WHEN 6 THEN was_place ELSE is_place END = ?1 AND"
                         " (?2 OR (kind = 6 AND forgotten = 0))",
    [QUERY_READ_FIND] = "SELECT place, atime, " LIBRARY_SQL_COLUMNS("") " FROM file WHERE key = ?1",
    [QUERY_READ_SEEN] = "UPDATE file SET atime = ?5 WHERE " SAME_FILE,
    [QUERY_READ_CTIME] = "UPDATE file SET ctime = ?5 WHERE " SAME_FILE,
    [QUERY_READ_USED] = "INSERT INTO used(tree, key, after, before) VALUES(?1, ?2, ?3, ?4)",
    [QUERY_REARM] = "INSERT OR REPLACE INTO rearm VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [QUERY_REARM_FIND] = "SELECT seen, armed, rest FROM rearm WHERE inode = ?1 AND size = ?2"
                         " AND mtime = ?3 AND ctime = ?4",
    [QUERY_REARM_END] = "DELETE FROM rearm WHERE inode = ?1 AND size = ?2 AND mtime = ?3 AND"
                        " ctime = ?4",
    [QUERY_POLLED] = "SELECT began FROM polled WHERE place = ?1",
    [QUERY_SET_POLLED] = "INSERT OR REPLACE INTO polled VALUES(?1, ?2)",
    [QUERY_USES] =
        "SELECT used.id, used.key, used.after, used.before, file.name FROM used LEFT JOIN"
        " file ON file.key = used.key WHERE used.is_ended AND used.id > ?1"
        " ORDER BY used.id LIMIT ?2",
    [QUERY_USES_TOLD] = "DELETE FROM used WHERE is_ended AND id <= ?1",
    [QUERY_USES_OF] = "SELECT count(*), min(after), max(before) FROM used WHERE tree = ?1"
                      " AND NOT is_ended",
    [QUERY_USES_DROP] = "DELETE FROM used WHERE tree = ?1 AND NOT is_ended",
    [QUERY_USES_END] = "UPDATE used SET is_ended = 1 WHERE tree = ?1 AND NOT is_ended",
};

/* ---- Trouble, statements --------------------------------------------------------------------- */

int library_sql_trouble(struct library_state *state)
{
    int code = sqlite3_errcode(state->database) & 0xff;
    snprintf(state->error, sizeof state->error, "%s", sqlite3_errmsg(state->database));
    return code == SQLITE_FULL    ? -ENOSPC
           : code == SQLITE_NOMEM ? -ENOMEM
           : code == SQLITE_BUSY  ? -EAGAIN
                                  : -EIO;
}

int library_sql_script(struct library_state *state, const char *sql)
{
    return sqlite3_exec(state->database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : library_sql_trouble(state);
}

sqlite3_stmt *library_sql_query(struct library_state *state, enum query query)
{
    if (state->prepared[query] == NULL &&
        sqlite3_prepare_v3(state->database, queries[query], -1, SQLITE_PREPARE_PERSISTENT,
                           &state->prepared[query], NULL) != SQLITE_OK)
        return NULL;
    sqlite3_reset(state->prepared[query]);
    sqlite3_clear_bindings(state->prepared[query]);
    return state->prepared[query];
}

int library_sql_run(struct library_state *state, sqlite3_stmt *prepared)
{
    int code = prepared == NULL ? SQLITE_ERROR : sqlite3_step(prepared);
    int error = code == SQLITE_DONE ? 0 : library_sql_trouble(state);
    if (prepared != NULL)
        sqlite3_reset(prepared);
    return error;
}

int library_sql_step(struct library_state *state, sqlite3_stmt *prepared)
{
    int code = prepared == NULL ? SQLITE_ERROR : sqlite3_step(prepared);
    if (code == SQLITE_ROW)
        return 1;
    int error = code == SQLITE_DONE ? 0 : library_sql_trouble(state);
    if (prepared != NULL)
        sqlite3_reset(prepared);
    return error;
}

int library_sql_number(struct library_state *state, const char *sql, int64_t *number)
{
    sqlite3_stmt *prepared = NULL;
    int error = -EIO;
    if (sqlite3_prepare_v2(state->database, sql, -1, &prepared, NULL) == SQLITE_OK &&
        sqlite3_step(prepared) == SQLITE_ROW) {
        *number = sqlite3_column_int64(prepared, 0);
        error = 0;
    }
    if (error != 0)
        error = library_sql_trouble(state);
    sqlite3_finalize(prepared);
    return error;
}

int library_sql_make(struct library_state *state)
{
    int64_t version = 0;
    int error = library_sql_number(state, "PRAGMA user_version", &version);
    if (error == 0 && version == 0) {
        error = library_sql_script(state, "BEGIN IMMEDIATE");
        if (error == 0)
            error = library_sql_script(state, tables);
        if (error == 0)
            error = library_sql_script(state, "COMMIT");
    } else if (error == 0 && version != VERSION) {
        snprintf(state->error, sizeof state->error, "it is of another version of jobtrail");
        error = -EPROTO;
    }
    if (error == 0 && state->is_dry)
        error = library_sql_script(state, dry_tables);
    return error == 0 ? library_sql_number(state, "SELECT COALESCE(MAX(scan), 0) + 1 FROM pending",
                                           &state->scan)
                      : error;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static unsigned hex_digit(char digit)
{
    return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)(digit - 'a' + 10);
}

/* Hexadecimal text as bytes; "" as NULL. */
static void bind_hex(sqlite3_stmt *prepared, int at, const char *hex)
{
    unsigned char bytes[BUILD_ID_MAX];
    size_t size = 0;
    for (; hex[0] != '\0' && hex[1] != '\0' && size < sizeof bytes; hex += 2)
        bytes[size++] = (unsigned char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
    if (size > 0)
        sqlite3_bind_blob(prepared, at, bytes, (int)size, SQLITE_TRANSIENT);
}

static void bind_text(sqlite3_stmt *prepared, int at, const char *text)
{
    if (text[0] != '\0')
        sqlite3_bind_text(prepared, at, text, -1, SQLITE_TRANSIENT);
}

void library_sql_bind(sqlite3_stmt *prepared, int at, const struct library_file *file)
{
    sqlite3_bind_int64(prepared, at, (sqlite3_int64)file->inode);
    sqlite3_bind_int64(prepared, at + 1, file->size);
    sqlite3_bind_int64(prepared, at + 2, file->modified_ns);
    sqlite3_bind_int64(prepared, at + 3, file->changed_ns);
    sqlite3_bind_int64(prepared, at + 10, file->owner);
    sqlite3_bind_int(prepared, at + 11, file->is_private);
    bind_hex(prepared, at + 4, file->sha1);
    bind_hex(prepared, at + 5, file->build_id);
    bind_text(prepared, at + 6, file->soname);
    bind_text(prepared, at + 7, file->name);
    bind_text(prepared, at + 8, file->package);
    bind_text(prepared, at + 9, file->version);
}

void library_sql_identity(sqlite3_stmt *prepared, int at, struct library_file *file)
{
    file->inode = (uint64_t)sqlite3_column_int64(prepared, at);
    file->size = sqlite3_column_int64(prepared, at + 1);
    file->modified_ns = sqlite3_column_int64(prepared, at + 2);
    file->changed_ns = sqlite3_column_int64(prepared, at + 3);
    file->owner = (uint32_t)sqlite3_column_int64(prepared, at + 10);
    file->is_private = sqlite3_column_int(prepared, at + 11) != 0;
}

static void take_hex(sqlite3_stmt *prepared, int at, char *hex, size_t size)
{
    const void *bytes = sqlite3_column_blob(prepared, at);
    size_t count = (size_t)sqlite3_column_bytes(prepared, at);
    text_hex(bytes, bytes == NULL || 2 * count >= size ? 0 : count, hex);
}

static void take_text(sqlite3_stmt *prepared, int at, char text[LIBRARY_TEXT_SIZE])
{
    const unsigned char *value = sqlite3_column_text(prepared, at);
    snprintf(text, LIBRARY_TEXT_SIZE, "%s", value == NULL ? "" : (const char *)value);
}

void library_sql_facts(sqlite3_stmt *prepared, int at, struct library_file *file)
{
    take_hex(prepared, at + 4, file->sha1, sizeof file->sha1);
    take_hex(prepared, at + 5, file->build_id, sizeof file->build_id);
    take_text(prepared, at + 6, file->soname);
    take_text(prepared, at + 7, file->name);
    take_text(prepared, at + 8, file->package);
    take_text(prepared, at + 9, file->version);
}
