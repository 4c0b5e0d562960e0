/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The store in one SQLite file.
 */
#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "conf/base/trusted.h"
#include "submit/load/database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "submit/load/database/schema.h"

#define BUSY_TIMEOUT_MS 60000
#define LOG_TIMEOUT_MS  2000
#define RETRY_MS        10

struct statement {
    char *sql;
    sqlite3_stmt *prepared; /* NULL until it is used */
    struct statement *next;
};

struct database {
    sqlite3 *connection;
    struct statement *statements;
    bool dry_run;
    char error[512];
};

/* ---- Trouble -------------------------------------------------------------------------------- */

static int sqlite_refuse(struct database *database, const char *text)
{
    database_message(database->error, sizeof database->error, text);
    return -EIO;
}

static int sqlite_trouble(struct database *database)
{
    int code = sqlite3_errcode(database->connection);
    sqlite_refuse(database, sqlite3_errmsg(database->connection));
    return code == SQLITE_TOOBIG ? -EBADMSG : -EIO;
}

static const char *error_text(const struct database *database)
{
    return database == NULL ? "out of memory" : database->error;
}

/* ---- Statements ----------------------------------------------------------------------------- */

static int sqlite_script(struct database *database, const char *sql)
{
    int code = sqlite3_exec(database->connection, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : sqlite_trouble(database);
}

static struct statement *statement_of(struct database *database, const char *sql)
{
    struct statement *statement = calloc(1, sizeof *statement);
    if (statement == NULL || (statement->sql = strdup(sql)) == NULL) {
        free(statement);
        return NULL;
    }
    statement->next = database->statements;
    database->statements = statement;
    return statement;
}

static int sqlite_ready(struct database *database, struct statement *statement)
{
    if (statement->prepared != NULL) {
        sqlite3_reset(statement->prepared);
        return 0;
    }
    int code = sqlite3_prepare_v3(database->connection, statement->sql, -1,
                                  SQLITE_PREPARE_PERSISTENT, &statement->prepared, NULL);
    return code == SQLITE_OK ? 0 : sqlite_trouble(database);
}

static int bind_value(sqlite3_stmt *prepared, int at, const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        return sqlite3_bind_int64(prepared, at, value->whole);
    case VALUE_REAL:
        return sqlite3_bind_double(prepared, at, value->real);
    case VALUE_TEXT:
        return sqlite3_bind_text64(prepared, at, value->text, value->size, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case VALUE_BYTES:
        return sqlite3_bind_blob64(prepared, at, value->text, value->size, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(prepared, at);
    }
}

static int bind_row(struct database *database, sqlite3_stmt *prepared, const struct value *row)
{
    int count = sqlite3_bind_parameter_count(prepared);
    for (int i = 0; i < count; i++)
        if (bind_value(prepared, i + 1, &row[i]) != SQLITE_OK)
            return sqlite_trouble(database);
    return 0;
}

static int write_rows(struct database *database, struct statement *statement,
                      const struct value *rows, size_t count)
{
    int error = sqlite_ready(database, statement);
    for (size_t i = 0; error == 0 && i < count; i++) {
        sqlite3_stmt *prepared = statement->prepared;
        size_t values = (size_t)sqlite3_bind_parameter_count(prepared);
        error = values == 0 ? 0 : bind_row(database, prepared, rows + i * values);
        if (error == 0 && sqlite3_step(prepared) != SQLITE_DONE)
            error = sqlite_trouble(database);
        sqlite3_reset(prepared);
    }
    return error;
}

static int select_rows(struct database *database, struct statement *statement,
                       const struct value *parameters)
{
    int error = sqlite_ready(database, statement);
    return error == 0 ? bind_row(database, statement->prepared, parameters) : error;
}

static struct value column(sqlite3_stmt *prepared, int at)
{
    struct value value = {.kind = VALUE_NULL};
    switch (sqlite3_column_type(prepared, at)) {
    case SQLITE_INTEGER:
        return value_int(sqlite3_column_int64(prepared, at));
    case SQLITE_FLOAT:
        value.kind = VALUE_REAL;
        value.real = sqlite3_column_double(prepared, at);
        break;
    case SQLITE_TEXT:
        value.kind = VALUE_TEXT;
        value.text = (const char *)sqlite3_column_text(prepared, at);
        value.size = (size_t)sqlite3_column_bytes(prepared, at);
        break;
    case SQLITE_BLOB:
        return value_bytes(sqlite3_column_blob(prepared, at),
                           (size_t)sqlite3_column_bytes(prepared, at));
    default:
        break;
    }
    return value;
}

static int next_row(struct database *database, struct statement *statement, struct value *row,
                    size_t columns)
{
    int code = sqlite3_step(statement->prepared);
    if (code == SQLITE_ROW) {
        for (size_t i = 0; i < columns; i++)
            row[i] = column(statement->prepared, (int)i);
        return 1;
    }
    int error = code == SQLITE_DONE ? 0 : sqlite_trouble(database);
    sqlite3_reset(statement->prepared);
    return error;
}

/* ---- Transactions --------------------------------------------------------------------------- */

static bool in_transaction(const struct database *database)
{
    return sqlite3_get_autocommit(database->connection) == 0;
}

/* A dry run is one transaction that is never committed. */
static int sqlite_begin(struct database *database)
{
    return in_transaction(database) ? 0 : sqlite_script(database, "BEGIN IMMEDIATE");
}

static int sqlite_commit(struct database *database)
{
    return database->dry_run ? 0 : sqlite_script(database, "COMMIT");
}

static void sqlite_rollback(struct database *database)
{
    for (struct statement *at = database->statements; at != NULL; at = at->next)
        sqlite3_reset(at->prepared);
    if (in_transaction(database))
        sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- The file ------------------------------------------------------------------------------- */

/* The command lines of all users are in it, so a new one has mode 0600, whatever the umask. An
 * administrator may give it another group and mode: they are kept, and the log (FILE-wal) and its
 * index (FILE-shm) get the same. */

/* For the message alone: what was decided stays. */
static void say_culprit(const char *culprit, char *trouble, size_t size)
{
    struct stat facts = {0};
    if (lstat(culprit, &facts) == 0 && S_ISLNK(facts.st_mode))
        snprintf(trouble, size, "root does not follow %.300s, which is another user's link",
                 culprit);
    else if (facts.st_uid != 0)
        snprintf(trouble, size,
                 "root writes nothing below %.300s, which is user %u's: run this as that user",
                 culprit, (unsigned)facts.st_uid);
    else
        snprintf(
            trouble, size,
            "root writes nothing below %.300s, which others can write to: chmod go-w it, or run "
            "this as another user",
            culprit);
}

/* Makes the file, empty and of mode 0600, where there is none. Returns 0 or -errno; -EPERM, with
 * what is wrong in `trouble`, where others than root could change what root writes. */
static int sqlite_file_make(const char *path, char *trouble, size_t size)
{
    char culprit[PATH_MAX];
    int error = trusted_beside(path, culprit, sizeof culprit);
    if (error == -EPERM)
        say_culprit(culprit, trouble, size);
    if (error != 0)
        return error == -ENOENT ? 0 : error; /* SQLite says what is missing */
    if (access(path, F_OK) == 0)
        return 0;
    /* a link to a file that is to be made is followed, as it is trusted */
    CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) /* SQLite will say why */
        return 0;
    return fchmod(fd, 0600) != 0 ? -errno : 0; /* a default ACL may have given more */
}

/* SQLite gives them the mode that the file has when they are made; they stay when it is changed.
 * By O_PATH: closing another descriptor of a file would drop the locks that SQLite has on it. */
static void follow_mode(const char *path, const char *ending, const struct stat *facts)
{
    char name[PATH_MAX], self[64];
    struct stat have;
    if ((size_t)snprintf(name, sizeof name, "%s%s", path, ending) >= sizeof name)
        return;
    CLEANUP_CLOSE int fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (fstat(fd, &have) == 0 && S_ISREG(have.st_mode) && have.st_uid == facts->st_uid) {
        bool other_group = have.st_gid != facts->st_gid &&
                           fchownat(fd, "", (uid_t)-1, facts->st_gid, AT_EMPTY_PATH) != 0;
        mode_t mode = facts->st_mode & (other_group ? 0700 : 0777);
        if ((have.st_mode & 0777) != mode)
            chmod(self, mode);
    }
}

/* Gives log and index the mode and group of the file, where they are the caller's to change; and
 * says on stderr that everybody may read the file, if that is so. */
static void sqlite_file_settle(const char *path)
{
    struct stat facts;
    char word[TERMINAL_WORD_SIZE];
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    follow_mode(path, "-wal", &facts);
    follow_mode(path, "-shm", &facts);
    if ((facts.st_mode & S_IRWXO) != 0)
        fprintf(stderr,
                "jobtrail-load: everybody on this host may read what every user ran, in %s: "
                "chmod o= it\n",
                terminal_word(path, word));
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static int query_int(struct database *database, const char *sql, int *value)
{
    sqlite3_stmt *prepared;
    if (sqlite3_prepare_v2(database->connection, sql, -1, &prepared, NULL) != SQLITE_OK)
        return sqlite_trouble(database);
    int code = sqlite3_step(prepared);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int(prepared, 0);
    sqlite3_finalize(prepared);
    return code == SQLITE_ROW ? 0 : sqlite_trouble(database);
}

/* Asked at once, as another loader may be making the tables. */
static int sqlite_version(struct database *database, int *out)
{
    int error = query_int(database,
                          "SELECT CASE WHEN user_version = 0 AND EXISTS (SELECT 1 FROM "
                          "sqlite_master) THEN -1 ELSE user_version END FROM pragma_user_version",
                          out);
    if (error == 0 && *out < 0)
        return sqlite_refuse(database, "is an SQLite file of another program");
    return error;
}

static int sqlite_set_version(struct database *database, int number)
{
    char sql[48];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", number);
    return sqlite_script(database, sql);
}

/* The log and its index stay when the loader ends: people who may read the store but not write in
 * its directory could not open it otherwise (sqlite.org/wal.html, "Read-Only Databases"). */
static int use_shared_log(struct database *database)
{
    int persist = 1, error;
    if (database->dry_run)
        return 0;
    sqlite3_file_control(database->connection, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
    /* of several that make the log at once SQLite lets none wait (sqlite3_busy_handler) */
    for (int waited_ms = 0;; waited_ms += RETRY_MS) {
        error = sqlite_script(database,
                              "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 1048576;");
        bool is_busy = (sqlite3_errcode(database->connection) & 0xff) == SQLITE_BUSY;
        if (error == 0 || !is_busy || waited_ms >= BUSY_TIMEOUT_MS)
            return error;
        sqlite3_sleep(RETRY_MS);
    }
}

static int open_connection(struct database *database, const char *location)
{
    /* one thread at a time uses it */
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX;
    int made = 0;
    if (database->dry_run && access(location, F_OK) != 0)
        location = ":memory:";
    else
        made = sqlite_file_make(location, database->error, sizeof database->error);
    if (made != 0)
        return made;
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* it costs a mutex for each malloc() */
    if (sqlite3_open_v2(location, &database->connection, flags, NULL) != SQLITE_OK)
        return sqlite_trouble(database);
    sqlite3_busy_timeout(database->connection, BUSY_TIMEOUT_MS);
    int foreign = 0;
    int error = sqlite_version(database, &foreign); /* before anything is changed in the file */
    if (error == 0)
        error = sqlite_script(database,
                              "PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
                              "PRAGMA wal_autocheckpoint = 10000; PRAGMA temp_store = MEMORY;");
    if (error == 0)
        error = use_shared_log(database);
    if (error == 0 && !database->dry_run)
        sqlite_file_settle(location);
    return error;
}

static int open_database(const char *location, bool dry_run, struct database **out)
{
    struct database *database = calloc(1, sizeof *database);
    *out = database;
    if (database == NULL)
        return -ENOMEM;
    database->dry_run = dry_run;
    return open_connection(database, location);
}

static void close_database(struct database *database)
{
    if (database == NULL)
        return;
    for (struct statement *at = database->statements, *next; at != NULL; at = next) {
        next = at->next;
        sqlite3_finalize(at->prepared);
        free(at->sql);
        free(at);
    }
    /* the log returns to nothing, unless a reader needs what is in it for longer than this */
    if (database->connection != NULL && !database->dry_run) {
        sqlite3_busy_timeout(database->connection, LOG_TIMEOUT_MS);
        sqlite3_wal_checkpoint_v2(database->connection, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                  NULL);
    }
    sqlite3_close(database->connection);
    free(database);
}

const struct database_ops database_sqlite = {
    .scheme = "sqlite",
    .dialect = SCHEMA_SQLITE,
    .or_keep = NULL, /* it has one writer at a time */
    .share_lock = "",
    .open = open_database,
    .version = sqlite_version,
    .set_version = sqlite_set_version,
    .change_schema = sqlite_script,
    .statement = statement_of,
    .write = write_rows,
    .select = select_rows,
    .next = next_row,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .error = error_text,
    .close = close_database,
};
