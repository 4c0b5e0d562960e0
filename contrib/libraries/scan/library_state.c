/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/libraries/scan/library_sql.h"
#include "contrib/libraries/scan/library_walk.h"

enum { BUSY_MS = 60000, COMMIT_ROWS = 1000 };

const char *library_state_error(const struct library_state *state)
{
    return state == NULL ? "out of memory" : state->error;
}

int library_state_begin(struct library_state *state)
{
    return state->is_dry || sqlite3_get_autocommit(state->database) == 0
               ? 0
               : library_sql_script(state, "BEGIN IMMEDIATE");
}

int library_state_commit(struct library_state *state)
{
    state->waiting = 0;
    return sqlite3_get_autocommit(state->database) != 0 ? 0 : library_sql_script(state, "COMMIT");
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int open_database(struct library_state *state, const char *location, int access)
{
    int flags = access | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    if (sqlite3_open_v2(location, &state->database, flags, NULL) != SQLITE_OK)
        return library_sql_trouble(state);
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
            error = library_sql_number(state, "PRAGMA user_version", &version);
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
        error = library_sql_script(state, "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;");
    return error == 0 ? library_sql_make(state) : error;
}

void library_state_close(struct library_state *state)
{
    if (state == NULL)
        return;
    for (int i = 0; i < QUERIES; i++)
        sqlite3_finalize(state->prepared[i]);
    sqlite3_close(state->database);
    free(state->path);
    free(state->from);
    free(state);
}

/* ---- Places ---------------------------------------------------------------------------------- */

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
        return library_sql_trouble(state);
    while ((error = library_sql_step(state, prepared)) == 1)
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

/* ---- Files ----------------------------------------------------------------------------------- */

int library_state_rows_between(struct library_state *state, const char *from, size_t from_size,
                               const char *to, size_t to_size)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_ROWS);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_blob64(prepared, 1, from, from_size, SQLITE_TRANSIENT);
    sqlite3_bind_blob64(prepared, 2, to, to_size, SQLITE_TRANSIENT);
    return 0;
}

int library_state_rows(struct library_state *state, const char *key, size_t size)
{
    CLEANUP_FREE char *end = malloc(size + 1);
    if (end == NULL)
        return -ENOMEM;
    memcpy(end, key, size);
    end[size] = 1; /* what lies below has a NUL there */
    return library_state_rows_between(state, key, size, end, size + 1);
}

int library_state_next(struct library_state *state, struct library_row *row)
{
    sqlite3_stmt *prepared = state->prepared[QUERY_ROWS];
    int result = library_sql_step(state, prepared);
    if (result != 1)
        return result;
    row->key = sqlite3_column_blob(prepared, 0);
    row->size = (size_t)sqlite3_column_bytes(prepared, 0);
    row->place = (size_t)sqlite3_column_int64(prepared, 1);
    library_sql_identity(prepared, 2, &row->file);
    return 1;
}

void library_state_rest(struct library_state *state, struct library_file *file)
{
    library_sql_facts(state->prepared[QUERY_ROWS], 2, file);
}

/* ---- Changes --------------------------------------------------------------------------------- */

int library_state_pend(struct library_state *state, const struct library_pending *pending)
{
    int error = library_state_begin(state);
    sqlite3_stmt *prepared = error == 0 ? library_sql_query(state, QUERY_PEND) : NULL;
    if (prepared == NULL)
        return error != 0 ? error : library_sql_trouble(state);
    sqlite3_bind_blob64(prepared, 1, pending->key, pending->size, SQLITE_STATIC);
    sqlite3_bind_int64(prepared, 2, state->scan);
    sqlite3_bind_int(prepared, 3, (int)pending->kind);
    sqlite3_bind_int(prepared, 4, pending->is_first);
    sqlite3_bind_int(prepared, 5, pending->is_forgotten);
    sqlite3_bind_int64(prepared, 6, (sqlite3_int64)pending->was_place);
    sqlite3_bind_int64(prepared, 7, (sqlite3_int64)pending->is_place);
    sqlite3_bind_int64(prepared, 8, (sqlite3_int64)pending->is.device);
    if (pending->kind != LIBRARY_ADDED)
        library_sql_bind(prepared, 9, &pending->was);
    if (pending->kind != LIBRARY_REMOVED)
        library_sql_bind(prepared, 9 + LIBRARY_SQL_FILE, &pending->is);
    error = library_sql_run(state, prepared);
    if (error == 0 && ++state->waiting >= COMMIT_ROWS && !state->is_dry)
        error = library_state_commit(state);
    return error;
}

int library_state_known(struct library_state *state, struct library_file *file)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_KNOWN);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_int64(prepared, 1, (sqlite3_int64)file->device);
    sqlite3_bind_int64(prepared, 2, (sqlite3_int64)file->inode);
    sqlite3_bind_int64(prepared, 3, file->size);
    sqlite3_bind_int64(prepared, 4, file->modified_ns);
    sqlite3_bind_int64(prepared, 5, file->changed_ns);
    int result = library_sql_step(state, prepared);
    if (result == 1)
        library_sql_facts(prepared, 0, file);
    sqlite3_reset(prepared);
    return result;
}

/* ---- Telling --------------------------------------------------------------------------------- */

int library_state_changes(struct library_state *state, const char *log, bool is_other)
{
    state->telling = log == NULL ? QUERY_CHANGES
                     : is_other  ? QUERY_CHANGES_OTHER
                                 : QUERY_CHANGES_OF;
    sqlite3_stmt *prepared = library_sql_query(state, state->telling);
    if (prepared == NULL)
        return library_sql_trouble(state);
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

/* What others cannot read they do not learn by its hash. */
static void take_public(sqlite3_stmt *prepared, int at, struct library_file *file)
{
    library_sql_facts(prepared, at, file);
    if (file->is_private)
        file->sha1[0] = '\0';
}

int library_state_change(struct library_state *state, struct library_change *change)
{
    sqlite3_stmt *prepared = state->prepared[state->telling];
    int result = library_sql_step(state, prepared);
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
        library_sql_identity(prepared, 7, &change->was);
        take_public(prepared, 7, &change->was);
    }
    if (change->kind != LIBRARY_REMOVED) {
        library_sql_identity(prepared, 7 + LIBRARY_SQL_FILE, &change->is);
        take_public(prepared, 7 + LIBRARY_SQL_FILE, &change->is);
        change->is.device = (uint64_t)sqlite3_column_int64(prepared, 6);
    }
    return 1;
}

int library_state_logs(struct library_state *state, const char *after, char **names, size_t most,
                       size_t *count)
{
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_LOGS);
    int result = 0;
    *count = 0;
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_text(prepared, 1, after, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(prepared, 2, (sqlite3_int64)most);
    while (*count < most && (result = library_sql_step(state, prepared)) == 1) {
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
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_LOG);
    if (prepared == NULL)
        return library_sql_trouble(state);
    *log = (struct library_log_state){-1, INT64_MIN, true};
    sqlite3_bind_text(prepared, 1, name, -1, SQLITE_TRANSIENT);
    int result = library_sql_step(state, prepared);
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
    sqlite3_stmt *prepared = library_sql_query(state, QUERY_SET_LOG);
    if (prepared == NULL)
        return library_sql_trouble(state);
    sqlite3_bind_text(prepared, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(prepared, 2, log->base);
    sqlite3_bind_int64(prepared, 3, log->entry_s);
    sqlite3_bind_int(prepared, 4, log->is_new);
    return library_sql_run(state, prepared);
}

/* Beside the logs: no library has the name "". */
int library_state_counted(struct library_state *state, uint64_t *count)
{
    struct library_log_state log;
    int error = library_state_log(state, "", &log);
    if (error == 0)
        *count = log.base < 0 ? 0 : (uint64_t)log.base;
    return error;
}

int library_state_set_counted(struct library_state *state, uint64_t count)
{
    const struct library_log_state log = {.base = (int64_t)count};
    uint64_t before = 0;
    int error = library_state_counted(state, &before);
    return error != 0 || before == count ? error : library_state_set_log(state, "", &log);
}

int library_state_told(struct library_state *state, const char *log)
{
    static const enum query queries[] = {QUERY_TOLD_OF, QUERY_TOLD_OTHER, QUERY_TOLD_HALF,
                                         QUERY_TOLD_OTHER_HALF};
    int error = 0;
    if (log == NULL)
        return library_sql_run(state, library_sql_query(state, QUERY_TOLD));
    for (size_t i = 0; i < sizeof queries / sizeof queries[0] && error == 0; i++) {
        sqlite3_stmt *prepared = library_sql_query(state, queries[i]);
        if (prepared != NULL)
            sqlite3_bind_text(prepared, 1, log, -1, SQLITE_TRANSIENT);
        error = library_sql_run(state, prepared);
    }
    return error;
}
