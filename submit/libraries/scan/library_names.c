/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/scan/library_names.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "submit/libraries/scan/library_walk.h"

enum { BUSY_MS = 10000 };

struct library_names {
    sqlite3 *database;
    sqlite3_stmt *find;
};

int library_names_open(const char *state, struct library_names **names)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    char path[PATH_MAX];
    struct library_names *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return -ENOMEM;
    snprintf(path, sizeof path, "%s/libraries.db", state);
    if (sqlite3_open_v2(path, &opened->database, flags, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(opened->database, BUSY_MS) == SQLITE_OK &&
        sqlite3_prepare_v2(opened->database, "SELECT name FROM file WHERE key = ?", -1,
                           &opened->find, NULL) == SQLITE_OK) {
        *names = opened;
        return 0;
    }
    library_names_close(opened);
    return -EIO;
}

void library_names_close(struct library_names *names)
{
    if (names == NULL)
        return;
    sqlite3_finalize(names->find);
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
