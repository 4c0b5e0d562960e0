/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_names.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "contrib/libraries/scan/library_walk.h"

enum { BUSY_MS = 10000, PAGE_ROWS = 256 };

/* Rows are read by pages: a slow reader holds no scan up. */
struct library_names {
    sqlite3 *database;
    sqlite3_stmt *find, *list;
    struct library_known row[PAGE_ROWS]; /* the paths are owned */
    size_t rows, taken;
    char *last; /* owned: the key of the last row of the page; NULL: none was read */
    size_t last_size;
};

#define FIND "SELECT name FROM file WHERE key = ?"
#define LIST                                                                                       \
    "SELECT key, size, since, lower(hex(build_id)), soname, name, package, version, private"       \
    " FROM file WHERE key > ? ORDER BY key LIMIT ?"

int library_names_open(const char *state, struct library_names **names)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    char path[PATH_MAX];
    struct library_names *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return -ENOMEM;
    snprintf(path, sizeof path, "%s/libraries.db", state);
    int error = access(path, R_OK) == 0 ? -EIO : -errno;
    if (sqlite3_open_v2(path, &opened->database, flags, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(opened->database, BUSY_MS) == SQLITE_OK &&
        sqlite3_prepare_v2(opened->database, FIND, -1, &opened->find, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(opened->database, LIST, -1, &opened->list, NULL) == SQLITE_OK) {
        *names = opened;
        return 0;
    }
    library_names_close(opened);
    return error;
}

void library_names_close(struct library_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < names->rows; i++)
        free(names->row[i].path);
    free(names->last);
    sqlite3_finalize(names->find);
    sqlite3_finalize(names->list);
    sqlite3_close(names->database);
    free(names);
}

bool library_names_find(struct library_names *names, const char *path, char name[LIBRARY_TEXT_SIZE])
{
    size_t size = strlen(path);
    CLEANUP_FREE char *key = malloc(size + 1);
    if (key == NULL)
        return false;
    library_key(path, size, key);
    sqlite3_reset(names->find);
    sqlite3_bind_blob64(names->find, 1, key, size, SQLITE_TRANSIENT);
    const unsigned char *found =
        sqlite3_step(names->find) == SQLITE_ROW ? sqlite3_column_text(names->find, 0) : NULL;
    if (found != NULL)
        snprintf(name, LIBRARY_TEXT_SIZE, "%s", (const char *)found);
    sqlite3_reset(names->find);
    return found != NULL && name[0] != '\0';
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void take_text(sqlite3_stmt *list, int at, char *text, size_t size)
{
    const unsigned char *value = sqlite3_column_text(list, at);
    snprintf(text, size, "%s", value == NULL ? "" : (const char *)value);
}

static int take_row(sqlite3_stmt *list, struct library_known *known)
{
    const char *key = sqlite3_column_blob(list, 0);
    size_t size = (size_t)sqlite3_column_bytes(list, 0);
    struct library_file *file = &known->file;
    *known = (struct library_known){
        .path = malloc(size + 1),
        .file.size = sqlite3_column_int64(list, 1),
        .since_s = sqlite3_column_int64(list, 2),
    };
    if (key == NULL || known->path == NULL) {
        free(known->path);
        return key == NULL ? -EIO : -ENOMEM;
    }
    library_path(key, size, known->path);
    take_text(list, 3, file->build_id, sizeof file->build_id);
    take_text(list, 4, file->soname, sizeof file->soname);
    take_text(list, 5, file->name, sizeof file->name);
    take_text(list, 6, file->package, sizeof file->package);
    take_text(list, 7, file->version, sizeof file->version);
    file->is_private = sqlite3_column_int(list, 8) != 0;
    return 0;
}

/* The next page goes on behind the last row. */
static int keep_last(struct library_names *names)
{
    const char *path = names->row[names->rows - 1].path;
    free(names->last);
    names->last_size = strlen(path);
    names->last = malloc(names->last_size + 1);
    if (names->last == NULL)
        return -ENOMEM;
    library_key(path, names->last_size, names->last);
    return 0;
}

static int read_page(struct library_names *names)
{
    int code = SQLITE_DONE, error = 0;
    for (size_t i = 0; i < names->rows; i++)
        free(names->row[i].path);
    names->rows = names->taken = 0;
    sqlite3_bind_blob64(names->list, 1, names->last == NULL ? "" : names->last, names->last_size,
                        SQLITE_STATIC);
    sqlite3_bind_int(names->list, 2, PAGE_ROWS);
    while (error == 0 && (code = sqlite3_step(names->list)) == SQLITE_ROW) {
        error = take_row(names->list, &names->row[names->rows]);
        names->rows += error == 0;
    }
    sqlite3_reset(names->list);
    if (error == 0 && code != SQLITE_DONE)
        error = (code & 0xff) == SQLITE_BUSY ? -EAGAIN : -EIO;
    return error != 0 || names->rows == 0 ? error : keep_last(names);
}

int library_names_next(struct library_names *names, struct library_known *known)
{
    int error = names->taken < names->rows ? 0 : read_page(names);
    if (error != 0 || names->rows == 0)
        return error;
    *known = names->row[names->taken++];
    return 1;
}
