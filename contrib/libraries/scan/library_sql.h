/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of the state, its statements, and the columns of a file in them. For
 * library_state.c, library_settle.c and library_reads.c alone.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "contrib/libraries/scan/library_change.h"
#include "contrib/libraries/scan/library_state.h"

/* The columns of a struct library_file, twice in `pending`. */
#define LIBRARY_SQL_COLUMNS(p)                                                                     \
    p "inode, " p "size, " p "mtime, " p "ctime, " p "sha1, " p "build_id, " p "soname, " p        \
      "name, " p "package, " p "version, " p "owner, " p "private"
enum { LIBRARY_SQL_FILE = 12 };

/* The tables of library_reads.h. */
#define LIBRARY_SQL_READS                                                                          \
    "CREATE TABLE rearm(inode INTEGER, size INTEGER, mtime INTEGER, ctime INTEGER, seen INTEGER,"  \
    " armed INTEGER, rest BLOB, PRIMARY KEY(inode, size, mtime, ctime)) WITHOUT ROWID;"            \
    "CREATE TABLE used(id INTEGER PRIMARY KEY AUTOINCREMENT, tree TEXT, key BLOB, after INTEGER,"  \
    " before INTEGER, is_ended INTEGER NOT NULL DEFAULT 0);"                                       \
    "CREATE TABLE polled(place INTEGER PRIMARY KEY, began INTEGER);"

enum query {
    QUERY_ROWS,
    QUERY_PEND,
    QUERY_KNOWN,
    QUERY_ADDED,
    QUERY_MOVED,
    QUERY_MOVE,
    QUERY_KEEP,
    QUERY_FORGET,
    QUERY_CHANGES,
    QUERY_CHANGES_OF,
    QUERY_CHANGES_OTHER,
    QUERY_LOGS,
    QUERY_LOG,
    QUERY_SET_LOG,
    QUERY_TOLD,
    QUERY_TOLD_OF,
    QUERY_TOLD_OTHER,
    QUERY_TOLD_HALF,
    QUERY_TOLD_OTHER_HALF,
    QUERY_PLACE,
    QUERY_DROP_PLACE,
    QUERY_READ_FIND,
    QUERY_READ_SEEN,
    QUERY_READ_CTIME,
    QUERY_READ_USED,
    QUERY_REARM,
    QUERY_REARM_FIND,
    QUERY_REARM_END,
    QUERY_POLLED,
    QUERY_SET_POLLED,
    QUERY_USES,
    QUERY_USES_TOLD,
    QUERY_USES_OF,
    QUERY_USES_DROP,
    QUERY_USES_END,
    QUERIES,
};

struct library_state {
    sqlite3 *database;
    sqlite3_stmt *prepared[QUERIES];
    bool is_dry;
    int64_t scan;       /* of rows in `pending`: another number than those of scans before */
    unsigned waiting;   /* rows since the last commit */
    char *path, *from;  /* owned: of the change that was returned last */
    enum query telling; /* what library_state_changes() has begun */
    char error[256];
};

/* Notes what SQLite says in state->error. Returns the -errno of it. */
int library_sql_trouble(struct library_state *state);

int library_sql_script(struct library_state *state, const char *sql);

/* Makes the tables in a state that has none. Returns -EPROTO where they are of another version. */
int library_sql_make(struct library_state *state);

/* The number that the statement `sql` selects. */
int library_sql_number(struct library_state *state, const char *sql, int64_t *number);

/* The statement, ready to be bound; NULL after an error. */
sqlite3_stmt *library_sql_query(struct library_state *state, enum query query);

/* Runs a statement that returns no rows. Takes NULL. */
int library_sql_run(struct library_state *state, sqlite3_stmt *prepared);

/* Returns 1 with a row, 0 after the last one, or -errno. */
int library_sql_step(struct library_state *state, sqlite3_stmt *prepared);

/* A file's columns, from the one with the number `at` on; the facts are those that its identity is
 * not. */
void library_sql_bind(sqlite3_stmt *prepared, int at, const struct library_file *file);
void library_sql_identity(sqlite3_stmt *prepared, int at, struct library_file *file);
void library_sql_facts(sqlite3_stmt *prepared, int at, struct library_file *file);
