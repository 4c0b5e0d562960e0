/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/scan/library_state.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "submit/libraries/scan/library_walk.h"

enum { VERSION = 1, BUSY_MS = 60000, COMMIT_ROWS = 1000 };

/* The columns of a struct library_file, twice in `pending`. */
#define FILE_COLUMNS(p)                                                                            \
    p "inode, " p "size, " p "mtime, " p "ctime, " p "sha1, " p "build_id, " p "soname, " p        \
      "name, " p "package, " p "version"
#define FILE_TYPES(p)                                                                              \
    p "inode INTEGER, " p "size INTEGER, " p "mtime INTEGER, " p "ctime INTEGER, " p               \
      "sha1 BLOB, " p "build_id BLOB, " p "soname TEXT, " p "name TEXT, " p "package TEXT, " p     \
      "version TEXT"
enum { FILE_COUNT = 10 };

#define PENDING_TABLE                                                                              \
    "pending(key BLOB PRIMARY KEY, ready INTEGER, scan INTEGER, kind INTEGER, first INTEGER,"      \
    " forgotten INTEGER, was_place INTEGER, is_place INTEGER, device INTEGER, from_key BLOB,"      \
    " links INTEGER, found INTEGER, " FILE_TYPES("was_") ", " FILE_TYPES("is_") ") WITHOUT ROWID;"

static const char tables[] = "CREATE TABLE file(key BLOB PRIMARY KEY, place INTEGER, " FILE_TYPES(
    "") ") WITHOUT ROWID;"
        "CREATE TABLE place(id INTEGER PRIMARY KEY, key BLOB, device INTEGER, inode INTEGER);"
        "CREATE TABLE log(name TEXT PRIMARY KEY, base INTEGER, entry INTEGER, new INTEGER) WITHOUT "
        "ROWID;"
        "CREATE TABLE " PENDING_TABLE
        "CREATE INDEX pending_inode ON pending(device, is_inode, is_ctime);"
        "CREATE INDEX pending_sha1 ON pending(was_sha1, forgotten, was_inode) WHERE kind = 6;"
        "CREATE INDEX pending_key ON pending(was_sha1, forgotten) WHERE kind = 6;"
        "CREATE INDEX pending_log ON pending(ready, COALESCE(is_name, was_name), key);"
        "PRAGMA user_version = 1;";

static const char dry_tables[] =
    "CREATE TEMP TABLE " PENDING_TABLE
    "CREATE INDEX temp.temp_inode ON pending(device, is_inode, is_ctime);"
    "CREATE INDEX temp.temp_sha1 ON pending(was_sha1, forgotten, was_inode) WHERE kind = 6;"
    "CREATE INDEX temp.temp_key ON pending(was_sha1, forgotten) WHERE kind = 6;"
    "CREATE INDEX temp.temp_log ON pending(ready, COALESCE(is_name, was_name), key);";

enum query {
    QUERY_ROWS,
    QUERY_PEND,
    QUERY_KNOWN,
    QUERY_ADDED,
    QUERY_MOVED,
    QUERY_MOVE,
    QUERY_FORGET,
    QUERY_CHANGES,
    QUERY_CHANGES_OF,
    QUERY_LOGS,
    QUERY_LOG,
    QUERY_SET_LOG,
    QUERY_TOLD,
    QUERY_TOLD_OF,
    QUERY_PLACE,
    QUERY_DROP_PLACE,
    QUERIES,
};

#define REMOVED "kind = 6 AND forgotten = 0"

#define CHANGE_COLUMNS                                                                             \
    "SELECT key, kind, first, from_key, links, found, device, " FILE_COLUMNS(                      \
        "was_") ", " FILE_COLUMNS("is_") " FROM pending WHERE ready = 1"

static const char *const queries[QUERIES] = {
    [QUERY_ROWS] = "SELECT key, place, " FILE_COLUMNS("") " FROM file WHERE key > ? AND key < ?"
                                                          " ORDER BY key",
    [QUERY_PEND] =
        "INSERT OR REPLACE INTO pending(key, ready, scan, kind, first, forgotten,"
        " was_place, is_place, device, " FILE_COLUMNS("was_") ", " FILE_COLUMNS(
            "is_") ") VALUES(?1, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
                   " ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28)",
    [QUERY_KNOWN] = "SELECT " FILE_COLUMNS(
        "is_") " FROM pending WHERE device = ?1 AND is_inode ="
               " ?2 AND is_size = ?3 AND is_mtime = ?4 AND is_ctime = ?5 LIMIT 1",
    [QUERY_ADDED] = "SELECT key, is_sha1, is_size, is_inode, is_mtime FROM pending WHERE kind = 1"
                    " ORDER BY key",
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
    [QUERY_MOVE] = "UPDATE pending SET kind = 5, from_key = ?2, (was_place, " FILE_COLUMNS(
        "was_") ") = (SELECT was_place, " FILE_COLUMNS("was_") " FROM pending WHERE key = ?2) "
                                                               "WHERE key = ?1",
    [QUERY_FORGET] = "UPDATE pending SET forgotten = 1 WHERE key = ?1",
    [QUERY_CHANGES] = CHANGE_COLUMNS " ORDER BY COALESCE(is_name, was_name), key",
    [QUERY_CHANGES_OF] = CHANGE_COLUMNS " AND COALESCE(is_name, was_name) = ?1 ORDER BY key",
    [QUERY_LOGS] = "SELECT DISTINCT COALESCE(is_name, was_name) AS name FROM pending"
                   " WHERE ready = 1 AND name > ?1 ORDER BY name LIMIT ?2",
    [QUERY_LOG] = "SELECT base, entry, new FROM log WHERE name = ?1",
    [QUERY_SET_LOG] = "INSERT OR REPLACE INTO log VALUES(?1, ?2, ?3, ?4)",
    [QUERY_TOLD] = "DELETE FROM pending WHERE ready = 1",
    [QUERY_TOLD_OF] = "DELETE FROM pending WHERE ready = 1 AND COALESCE(is_name, was_name) = ?1",
    [QUERY_PLACE] = "INSERT OR REPLACE INTO place VALUES(?1, ?2, ?3, ?4)",
    [QUERY_DROP_PLACE] = "DELETE FROM pending WHERE ready = 0 AND"
                         " CASE kind WHEN 6 THEN was_place ELSE is_place END = ?1 AND"
                         " (?2 OR (kind = 6 AND forgotten = 0))",
};

struct library_state {
    sqlite3 *database;
    sqlite3_stmt *prepared[QUERIES];
    bool is_dry;
    int64_t scan;       /* of rows in `pending`: another number than those of scans before */
    unsigned waiting;   /* rows since the last commit */
    char *end;          /* owned: behind the keys of the rows that are read */
    char *path, *from;  /* owned: of the change that was returned last */
    enum query telling; /* what library_state_changes() has begun */
    char error[256];
};

/* ---- Trouble, statements ----------------------------------------------------------------------
 */

static int state_trouble(struct library_state *state)
{
    int code = sqlite3_errcode(state->database) & 0xff;
    snprintf(state->error, sizeof state->error, "%s", sqlite3_errmsg(state->database));
    return code == SQLITE_FULL    ? -ENOSPC
           : code == SQLITE_NOMEM ? -ENOMEM
           : code == SQLITE_BUSY  ? -EAGAIN
                                  : -EIO;
}

const char *library_state_error(const struct library_state *state)
{
    return state == NULL ? "out of memory" : state->error;
}

static int run_script(struct library_state *state, const char *sql)
{
    return sqlite3_exec(state->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                             : state_trouble(state);
}

/* The statement, ready to be bound; NULL after an error. */
static sqlite3_stmt *state_query(struct library_state *state, enum query query)
{
    if (state->prepared[query] == NULL &&
        sqlite3_prepare_v3(state->database, queries[query], -1, SQLITE_PREPARE_PERSISTENT,
                           &state->prepared[query], NULL) != SQLITE_OK)
        return NULL;
    sqlite3_reset(state->prepared[query]);
    sqlite3_clear_bindings(state->prepared[query]);
    return state->prepared[query];
}

/* Runs a statement that returns no rows. */
static int state_run(struct library_state *state, sqlite3_stmt *prepared)
{
    int code = prepared == NULL ? SQLITE_ERROR : sqlite3_step(prepared);
    int error = code == SQLITE_DONE ? 0 : state_trouble(state);
    if (prepared != NULL)
        sqlite3_reset(prepared);
    return error;
}

/* Returns 1 with a row, 0 after the last one, or -errno. */
static int state_step(struct library_state *state, sqlite3_stmt *prepared)
{
    int code = prepared == NULL ? SQLITE_ERROR : sqlite3_step(prepared);
    if (code == SQLITE_ROW)
        return 1;
    int error = code == SQLITE_DONE ? 0 : state_trouble(state);
    if (prepared != NULL)
        sqlite3_reset(prepared);
    return error;
}

int library_state_begin(struct library_state *state)
{
    return state->is_dry || sqlite3_get_autocommit(state->database) == 0
               ? 0
               : run_script(state, "BEGIN IMMEDIATE");
}

int library_state_commit(struct library_state *state)
{
    state->waiting = 0;
    return sqlite3_get_autocommit(state->database) != 0 ? 0 : run_script(state, "COMMIT");
}

/* ---- Columns ----------------------------------------------------------------------------------
 */

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

static void bind_file(sqlite3_stmt *prepared, int at, const struct library_file *file)
{
    sqlite3_bind_int64(prepared, at, (sqlite3_int64)file->inode);
    sqlite3_bind_int64(prepared, at + 1, file->size);
    sqlite3_bind_int64(prepared, at + 2, file->modified_ns);
    sqlite3_bind_int64(prepared, at + 3, file->changed_ns);
    bind_hex(prepared, at + 4, file->sha1);
    bind_hex(prepared, at + 5, file->build_id);
    bind_text(prepared, at + 6, file->soname);
    bind_text(prepared, at + 7, file->name);
    bind_text(prepared, at + 8, file->package);
    bind_text(prepared, at + 9, file->version);
}

static void take_identity(sqlite3_stmt *prepared, int at, struct library_file *file)
{
    file->inode = (uint64_t)sqlite3_column_int64(prepared, at);
    file->size = sqlite3_column_int64(prepared, at + 1);
    file->modified_ns = sqlite3_column_int64(prepared, at + 2);
    file->changed_ns = sqlite3_column_int64(prepared, at + 3);
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

static void take_facts(sqlite3_stmt *prepared, int at, struct library_file *file)
{
    take_hex(prepared, at + 4, file->sha1, sizeof file->sha1);
    take_hex(prepared, at + 5, file->build_id, sizeof file->build_id);
    take_text(prepared, at + 6, file->soname);
    take_text(prepared, at + 7, file->name);
    take_text(prepared, at + 8, file->package);
    take_text(prepared, at + 9, file->version);
}

/* ---- Opening ----------------------------------------------------------------------------------
 */

static int query_number(struct library_state *state, const char *sql, int64_t *number)
{
    sqlite3_stmt *prepared = NULL;
    int error = -EIO;
    if (sqlite3_prepare_v2(state->database, sql, -1, &prepared, NULL) == SQLITE_OK &&
        sqlite3_step(prepared) == SQLITE_ROW) {
        *number = sqlite3_column_int64(prepared, 0);
        error = 0;
    }
    if (error != 0)
        error = state_trouble(state);
    sqlite3_finalize(prepared);
    return error;
}

static int make_tables(struct library_state *state)
{
    int64_t version = 0;
    int error = query_number(state, "PRAGMA user_version", &version);
    if (error == 0 && version == 0) {
        error = run_script(state, "BEGIN IMMEDIATE");
        if (error == 0)
            error = run_script(state, tables);
        if (error == 0)
            error = run_script(state, "COMMIT");
    } else if (error == 0 && version != VERSION) {
        snprintf(state->error, sizeof state->error, "it is of another version of jobtrail");
        error = -EPROTO;
    }
    if (error == 0 && state->is_dry)
        error = run_script(state, dry_tables);
    return error == 0
               ? query_number(state, "SELECT COALESCE(MAX(scan), 0) + 1 FROM pending", &state->scan)
               : error;
}

static int open_database(struct library_state *state, const char *location, int access)
{
    int flags = access | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    if (sqlite3_open_v2(location, &state->database, flags, NULL) != SQLITE_OK)
        return state_trouble(state);
    sqlite3_busy_timeout(state->database, BUSY_MS);
    return 0;
}

/* Opens the state so that nothing can be written to it; what is not there yet is empty. */
static int open_dry(struct library_state *state, const char *path)
{
    int64_t version = 0;
    int error = 0;
    if (access(path, F_OK) == 0) {
        error = open_database(state, path, SQLITE_OPEN_READONLY);
        if (error == 0)
            error = query_number(state, "PRAGMA user_version", &version);
        if (error != 0 && sqlite3_errcode(state->database) == SQLITE_READONLY_ROLLBACK)
            snprintf(state->error, sizeof state->error,
                     "a scan was killed while it wrote: one without --dry-run comes first");
    } else if (errno != ENOENT) {
        error = -errno;
        snprintf(state->error, sizeof state->error, "%s", strerror(errno));
    }
    if (error != 0 || version != 0)
        return error;
    sqlite3_close(state->database);
    state->database = NULL;
    return open_database(state, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

int library_state_open(const char *path, bool is_dry, struct library_state **out)
{
    struct library_state *state = calloc(1, sizeof *state);
    *out = state;
    if (state == NULL)
        return -ENOMEM;
    state->is_dry = is_dry;
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    int error = is_dry ? open_dry(state, path)
                       : open_database(state, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (error == 0)
        error = run_script(state, "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;");
    return error == 0 ? make_tables(state) : error;
}

void library_state_close(struct library_state *state)
{
    if (state == NULL)
        return;
    for (int i = 0; i < QUERIES; i++)
        sqlite3_finalize(state->prepared[i]);
    sqlite3_close(state->database);
    free(state->end);
    free(state->path);
    free(state->from);
    free(state);
}

/* ---- Places -----------------------------------------------------------------------------------
 */

static int take_place(sqlite3_stmt *prepared, struct library_places *places)
{
    const void *key = sqlite3_column_blob(prepared, 0);
    size_t size = (size_t)sqlite3_column_bytes(prepared, 0);
    if (GROW(places->place, places->count) != 0)
        return -ENOMEM;
    struct library_place *place = &places->place[places->count];
    *place = (struct library_place){
        .key = malloc(size + 1),
        .size = size,
        .was_known = true,
        .was_device = (uint64_t)sqlite3_column_int64(prepared, 1),
        .was_inode = (uint64_t)sqlite3_column_int64(prepared, 2),
    };
    if (place->key == NULL || key == NULL) {
        free(place->key);
        return -ENOMEM;
    }
    memcpy(place->key, key, size);
    places->count++;
    return 0;
}

int library_state_places(struct library_state *state, struct library_places *places)
{
    sqlite3_stmt *prepared = NULL;
    int error;
    if (sqlite3_prepare_v2(state->database, "SELECT key, device, inode FROM place ORDER BY id", -1,
                           &prepared, NULL) != SQLITE_OK)
        return state_trouble(state);
    while ((error = state_step(state, prepared)) == 1)
        if (take_place(prepared, places) != 0) {
            error = -ENOMEM;
            break;
        }
    sqlite3_finalize(prepared);
    return error;
}

void library_places_free(struct library_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->place[i].key);
    free(places->place);
    *places = (struct library_places){NULL, 0};
}

/* ---- Files ------------------------------------------------------------------------------------
 */

int library_state_rows(struct library_state *state, const char *key, size_t size)
{
    sqlite3_stmt *prepared = state_query(state, QUERY_ROWS);
    free(state->end);
    state->end = malloc(size + 1);
    if (prepared == NULL || state->end == NULL)
        return prepared == NULL ? state_trouble(state) : -ENOMEM;
    memcpy(state->end, key, size);
    state->end[size] = 1; /* what lies below has a NUL there */
    sqlite3_bind_blob64(prepared, 1, key, size, SQLITE_TRANSIENT);
    sqlite3_bind_blob64(prepared, 2, state->end, size + 1, SQLITE_STATIC);
    return 0;
}

int library_state_next(struct library_state *state, struct library_row *row)
{
    sqlite3_stmt *prepared = state->prepared[QUERY_ROWS];
    int result = state_step(state, prepared);
    if (result != 1)
        return result;
    row->key = sqlite3_column_blob(prepared, 0);
    row->size = (size_t)sqlite3_column_bytes(prepared, 0);
    row->place = (size_t)sqlite3_column_int64(prepared, 1);
    take_identity(prepared, 2, &row->file);
    return 1;
}

void library_state_rest(struct library_state *state, struct library_file *file)
{
    take_facts(state->prepared[QUERY_ROWS], 2, file);
}

/* ---- Changes ----------------------------------------------------------------------------------
 */

int library_state_pend(struct library_state *state, const struct library_pending *pending)
{
    int error = library_state_begin(state);
    sqlite3_stmt *prepared = error == 0 ? state_query(state, QUERY_PEND) : NULL;
    if (prepared == NULL)
        return error != 0 ? error : state_trouble(state);
    sqlite3_bind_blob64(prepared, 1, pending->key, pending->size, SQLITE_STATIC);
    sqlite3_bind_int64(prepared, 2, state->scan);
    sqlite3_bind_int(prepared, 3, (int)pending->kind);
    sqlite3_bind_int(prepared, 4, pending->is_first);
    sqlite3_bind_int(prepared, 5, pending->is_forgotten);
    sqlite3_bind_int64(prepared, 6, (sqlite3_int64)pending->was_place);
    sqlite3_bind_int64(prepared, 7, (sqlite3_int64)pending->is_place);
    sqlite3_bind_int64(prepared, 8, (sqlite3_int64)pending->is.device);
    if (pending->kind != LIBRARY_ADDED)
        bind_file(prepared, 9, &pending->was);
    if (pending->kind != LIBRARY_REMOVED)
        bind_file(prepared, 9 + FILE_COUNT, &pending->is);
    error = state_run(state, prepared);
    if (error == 0 && ++state->waiting >= COMMIT_ROWS && !state->is_dry)
        error = library_state_commit(state);
    return error;
}

int library_state_known(struct library_state *state, struct library_file *file)
{
    sqlite3_stmt *prepared = state_query(state, QUERY_KNOWN);
    if (prepared == NULL)
        return state_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)file->device);
    sqlite3_bind_int64(prepared, 2, (sqlite3_int64)file->inode);
    sqlite3_bind_int64(prepared, 3, file->size);
    sqlite3_bind_int64(prepared, 4, file->modified_ns);
    sqlite3_bind_int64(prepared, 5, file->changed_ns);
    int result = state_step(state, prepared);
    if (result == 1)
        take_facts(prepared, 0, file);
    sqlite3_reset(prepared);
    return result;
}

/* What was added and has the content of what was removed: of several, one for each. */
static int find_moved(struct library_state *state, sqlite3_stmt *added)
{
    sqlite3_stmt *moved = state_query(state, QUERY_MOVED);
    if (moved == NULL)
        return state_trouble(state);
    for (int i = 1; i <= 4; i++)
        sqlite3_bind_value(moved, i, sqlite3_column_value(added, i));
    int result = state_step(state, moved);
    sqlite3_stmt *move = result == 1 ? state_query(state, QUERY_MOVE) : NULL;
    sqlite3_stmt *forget = move != NULL ? state_query(state, QUERY_FORGET) : NULL;
    if (result != 1 || forget == NULL)
        return result != 1 ? result : state_trouble(state);
    sqlite3_bind_value(move, 1, sqlite3_column_value(added, 0));
    sqlite3_bind_value(move, 2, sqlite3_column_value(moved, 0));
    sqlite3_bind_value(forget, 1, sqlite3_column_value(moved, 0));
    sqlite3_reset(moved);
    int error = state_run(state, move);
    return error == 0 ? state_run(state, forget) : error;
}

static int find_all_moved(struct library_state *state)
{
    int64_t removed = 0;
    int result = query_number(
        state, "SELECT EXISTS(SELECT 1 FROM pending WHERE kind = 6 AND forgotten = 0)", &removed);
    sqlite3_stmt *added = result == 0 && removed != 0 ? state_query(state, QUERY_ADDED) : NULL;
    if (added == NULL)
        return result != 0 || removed == 0 ? result : state_trouble(state);
    while ((result = state_step(state, added)) == 1) {
        result = find_moved(state, added);
        if (result != 0)
            break;
    }
    sqlite3_reset(added);
    return result;
}

/* Names of one file that have changed alike: the first one is told. A user can make millions. */
static const char join_links[] =
    "CREATE TEMP TABLE linked(device, inode, kind, first, links, PRIMARY KEY(device, inode, kind))"
    " WITHOUT ROWID;"
    "INSERT INTO linked SELECT device, is_inode, kind, min(key), count(*) - 1 FROM pending"
    " WHERE kind BETWEEN 1 AND 4 GROUP BY device, is_inode, kind HAVING count(*) > 1;"
    "UPDATE pending SET (links, forgotten) = (SELECT linked.links, key > linked.first FROM linked"
    " WHERE linked.device = pending.device AND linked.inode = is_inode AND linked.kind ="
    " pending.kind) WHERE kind BETWEEN 1 AND 4 AND EXISTS (SELECT 1 FROM linked WHERE"
    " linked.device = pending.device AND linked.inode = is_inode AND linked.kind = pending.kind);"
    "DROP TABLE linked;";

static const char make_state[] =
    "DELETE FROM file WHERE key IN (SELECT key FROM pending WHERE kind = 6);"
    "INSERT OR REPLACE INTO file SELECT key, is_place, " FILE_COLUMNS("is_") " FROM pending WHERE"
                                                                             " kind <> 6;";

static int drop_place(struct library_state *state, size_t index, bool is_away)
{
    sqlite3_stmt *prepared = state_query(state, QUERY_DROP_PLACE);
    if (prepared == NULL)
        return state_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)index);
    sqlite3_bind_int(prepared, 2, is_away);
    return state_run(state, prepared);
}

static int keep_place(struct library_state *state, size_t index, const struct library_place *place)
{
    int error = library_state_begin(state);
    sqlite3_stmt *prepared = error == 0 ? state_query(state, QUERY_PLACE) : NULL;
    if (prepared == NULL)
        return error != 0 ? error : state_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)index);
    sqlite3_bind_blob64(prepared, 2, place->key, place->size, SQLITE_STATIC);
    sqlite3_bind_int64(prepared, 3, (sqlite3_int64)place->device);
    sqlite3_bind_int64(prepared, 4, (sqlite3_int64)place->inode);
    return state_run(state, prepared);
}

static int settle_places(struct library_state *state, const struct library_places *places)
{
    int error = 0;
    for (size_t i = 0; i < places->count && error == 0; i++) {
        const struct library_place *place = &places->place[i];
        bool is_away = place->verdict == LIBRARY_PLACE_AWAY;
        bool is_other = !place->was_known || place->was_device != place->device ||
                        place->was_inode != place->inode;
        if (place->verdict != LIBRARY_PLACE_HERE)
            error = drop_place(state, i, is_away);
        if (error == 0 && !state->is_dry && !is_away && place->is_visited && is_other)
            error = keep_place(state, i, place);
    }
    return error;
}

/* Rows that a scan before has left are known by its number. */
static int drop_left(struct library_state *state)
{
    char sql[96];
    int64_t left = 0;
    int error = query_number(state, "SELECT EXISTS(SELECT 1 FROM pending)", &left);
    if (error != 0 || left == 0)
        return error;
    snprintf(sql, sizeof sql, "DELETE FROM pending WHERE scan <> %lld", (long long)state->scan);
    error = library_state_begin(state);
    return error == 0 ? run_script(state, sql) : error;
}

int library_state_settle(struct library_state *state, const struct library_places *places,
                         int64_t found_s)
{
    char sql[160];
    int64_t left = 0;
    int error = drop_left(state);
    if (error == 0)
        error = settle_places(state, places);
    if (error == 0)
        error = query_number(state, "SELECT EXISTS(SELECT 1 FROM pending)", &left);
    if (error == 0 && left != 0) {
        error = library_state_begin(state);
        if (error == 0)
            error = find_all_moved(state);
        if (error == 0)
            error = run_script(state, join_links);
        if (error == 0 && !state->is_dry)
            error = run_script(state, make_state);
        snprintf(sql, sizeof sql,
                 "DELETE FROM pending WHERE kind = 0 OR forgotten = 1;"
                 "UPDATE pending SET ready = 1, found = %lld",
                 (long long)found_s);
        if (error == 0)
            error = run_script(state, sql);
    }
    return error == 0 ? library_state_commit(state) : error;
}

/* ---- Telling ----------------------------------------------------------------------------------
 */

int library_state_changes(struct library_state *state, const char *log)
{
    sqlite3_stmt *prepared = state_query(state, log == NULL ? QUERY_CHANGES : QUERY_CHANGES_OF);
    if (prepared == NULL)
        return state_trouble(state);
    if (state->prepared[log == NULL ? QUERY_CHANGES_OF : QUERY_CHANGES] != NULL)
        sqlite3_reset(state->prepared[log == NULL ? QUERY_CHANGES_OF : QUERY_CHANGES]);
    state->telling = log == NULL ? QUERY_CHANGES : QUERY_CHANGES_OF;
    if (log != NULL)
        sqlite3_bind_text(prepared, 1, log, -1, SQLITE_TRANSIENT);
    return 0;
}

static int take_path(sqlite3_stmt *prepared, int at, char **path)
{
    const char *key = sqlite3_column_blob(prepared, at);
    size_t size = (size_t)sqlite3_column_bytes(prepared, at);
    free(*path);
    *path = key == NULL ? NULL : malloc(size + 1);
    if (key != NULL && *path == NULL)
        return -ENOMEM;
    if (key != NULL)
        library_path(key, size, *path);
    return 0;
}

int library_state_change(struct library_state *state, struct library_change *change)
{
    sqlite3_stmt *prepared = state->prepared[state->telling];
    int result = state_step(state, prepared);
    if (result != 1)
        return result;
    if (take_path(prepared, 0, &state->path) != 0 || take_path(prepared, 3, &state->from) != 0)
        return -ENOMEM;
    *change = (struct library_change){
        .kind = (enum library_change_kind)sqlite3_column_int(prepared, 1),
        .path = state->path,
        .from = state->from,
        .group = "",
        .links = (unsigned)sqlite3_column_int(prepared, 4),
        .is_first = sqlite3_column_int(prepared, 2) != 0,
        .found_s = sqlite3_column_int64(prepared, 5),
    };
    if (change->kind != LIBRARY_ADDED) {
        take_identity(prepared, 7, &change->was);
        take_facts(prepared, 7, &change->was);
    }
    if (change->kind != LIBRARY_REMOVED) {
        take_identity(prepared, 7 + FILE_COUNT, &change->is);
        take_facts(prepared, 7 + FILE_COUNT, &change->is);
        change->is.device = (uint64_t)sqlite3_column_int64(prepared, 6);
    }
    return 1;
}

int library_state_logs(struct library_state *state, const char *after, char **names, size_t most,
                       size_t *count)
{
    sqlite3_stmt *prepared = state_query(state, QUERY_LOGS);
    int result = 0;
    *count = 0;
    if (prepared == NULL)
        return state_trouble(state);
    sqlite3_bind_text(prepared, 1, after, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(prepared, 2, (sqlite3_int64)most);
    while (*count < most && (result = state_step(state, prepared)) == 1) {
        names[*count] = strdup((const char *)sqlite3_column_text(prepared, 0));
        if (names[*count] == NULL)
            return -ENOMEM;
        ++*count;
    }
    sqlite3_reset(prepared);
    return result == 1 ? 0 : result;
}

int library_state_log(struct library_state *state, const char *name, struct library_log_state *log)
{
    sqlite3_stmt *prepared = state_query(state, QUERY_LOG);
    if (prepared == NULL)
        return state_trouble(state);
    *log = (struct library_log_state){-1, INT64_MIN, true};
    sqlite3_bind_text(prepared, 1, name, -1, SQLITE_TRANSIENT);
    int result = state_step(state, prepared);
    if (result == 1)
        *log = (struct library_log_state){sqlite3_column_int64(prepared, 0),
                                          sqlite3_column_int64(prepared, 1),
                                          sqlite3_column_int(prepared, 2) != 0};
    sqlite3_reset(prepared);
    return result == 1 ? 0 : result;
}

int library_state_set_log(struct library_state *state, const char *name,
                          const struct library_log_state *log)
{
    sqlite3_stmt *prepared = state_query(state, QUERY_SET_LOG);
    if (prepared == NULL)
        return state_trouble(state);
    sqlite3_bind_text(prepared, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(prepared, 2, log->base);
    sqlite3_bind_int64(prepared, 3, log->entry_s);
    sqlite3_bind_int(prepared, 4, log->is_new);
    return state_run(state, prepared);
}

int library_state_told(struct library_state *state, const char *log)
{
    sqlite3_stmt *prepared = state_query(state, log == NULL ? QUERY_TOLD : QUERY_TOLD_OF);
    if (prepared == NULL)
        return state_trouble(state);
    if (log != NULL)
        sqlite3_bind_text(prepared, 1, log, -1, SQLITE_TRANSIENT);
    return state_run(state, prepared);
}
