/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The store in a MariaDB database: mariadb://[USER@][HOST[:PORT][,HOST...]]/DATABASE. What is not
 * in the address, above all the password, comes from the credentials file.
 */
#include "submit/load/database/mariadb_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/database/schema.h"

/* ---- Statements ----------------------------------------------------------------------------- */

static const char *error_text(const struct database *database)
{
    return database == NULL ? "out of memory" : database->error;
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

/* ---- Transactions --------------------------------------------------------------------------- */

static int maria_begin(struct database *database)
{
    int error = database->connection == NULL ? maria_reconnect(database, MARIA_PATIENCE) : 0;
    return error == 0 ? maria_script(database, "START TRANSACTION") : error;
}

static void maria_rollback(struct database *database)
{
    if (database->connection != NULL && mysql_rollback(database->connection) != 0)
        maria_disconnect(database);
}

/* A dry run's transactions are all rolled back. */
static int maria_commit(struct database *database)
{
    if (!database->dry_run)
        return maria_script(database, "COMMIT");
    maria_rollback(database);
    return 0;
}

/* ---- Who changes the tables ------------------------------------------------------------------ */

/* One loader at a time changes the tables. MariaDB commits each statement that does, so a
 * transaction cannot keep others out; a lock of the server (GET_LOCK) does. The connection that
 * changes the tables holds it. When the loader is killed, the server runs the script that it has
 * received to its end, and only then releases the lock.
 *
 * In a Galera cluster such a lock is known to one node only. There a row of the table
 * store_migration names the node whose loaders may change the tables. All nodes agree on it, and it
 * is left when a loader is killed, until a loader at the same node has finished the work. */

#define CREATE_CLAIM                                                                               \
    "CREATE TABLE IF NOT EXISTS store_migration (one TINYINT NOT NULL PRIMARY KEY,"                \
    " node VARCHAR(255) NOT NULL) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4"
#define CLAIM                                                                                      \
    "INSERT INTO store_migration VALUES (1, @@wsrep_node_name) ON DUPLICATE KEY UPDATE node = "    \
    "node"

static int take_lock(struct database *database)
{
    long long taken = 0;
    int error = maria_query_number(
        database, "SELECT GET_LOCK(concat('jobtrail/', sha1(database())), 5)", &taken);
    if (error == 0 && taken != 1)
        error = maria_refuse(database, -EAGAIN, "another jobtrail-load changes the tables");
    return error;
}

/* Who had it may remove the table at any moment. */
static int take_claim(struct database *database)
{
    long long is_ours = 0;
    int error = maria_script(database, CREATE_CLAIM);
    if (error != 0)
        return error;
    error = maria_script(database, CLAIM);
    if (error == 0)
        error = maria_query_number(database, "SELECT node = @@wsrep_node_name FROM store_migration",
                                   &is_ours);
    if (error == 0 && is_ours == 0)
        return maria_refuse(database, -EAGAIN,
                            "a jobtrail-load at another node changes the tables; if it was killed, "
                            "start one at the node that store_migration names");
    return error == -EIO ? -EAGAIN : error;
}

static int lock_schema(struct database *database)
{
    long long in_cluster = 0;
    int error = maria_reconnect(database, MARIA_SCHEMA_PATIENCE);
    if (error == 0)
        error = take_lock(database);
    if (error == 0)
        error = maria_query_number(database,
                                   "SELECT count(*) FROM information_schema.global_variables"
                                   " WHERE variable_name = 'wsrep_on' AND variable_value = 'ON'",
                                   &in_cluster);
    if (error == 0 && in_cluster > 0)
        error = take_claim(database);
    if (error != 0) {
        maria_disconnect(database);
        return error;
    }
    database->has_lock = true;
    database->has_claim = in_cluster > 0;
    return 0;
}

static void unlock_schema(struct database *database)
{
    if (!database->has_lock)
        return;
    if (database->has_claim && database->connection != NULL)
        mysql_query(database->connection, "DROP TABLE IF EXISTS store_migration");
    database->has_lock = database->has_claim = false;
    maria_reconnect(database, MARIA_PATIENCE);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static int maria_version(struct database *database, int *out)
{
    long long tables = 0, number = 0;
    int error = maria_query_number(database,
                                   "SELECT count(*) FROM information_schema.tables WHERE "
                                   "table_schema = database() AND table_name = 'store_state'",
                                   &tables);
    if (error == 0 && tables > 0)
        error = maria_query_number(database, "SELECT value FROM store_state WHERE name = 'schema'",
                                   &number);
    *out = (int)number;
    return error;
}

/* After all else: a loader that is killed before leaves the work to the next one. */
static int maria_set_version(struct database *database, int number)
{
    char sql[64];
    snprintf(sql, sizeof sql, "REPLACE INTO store_state VALUES ('schema', '%d')", number);
    return maria_script(database, sql);
}

static int open_database(const char *location, bool dry_run, struct database **out)
{
    struct database *database = calloc(1, sizeof *database);
    *out = database;
    if (database == NULL)
        return -ENOMEM;
    database->dry_run = dry_run;
    int error = maria_parse_address(&database->address, location);
    if (error != 0)
        return maria_refuse(database, error, "write mariadb://[USER@][HOST[:PORT]]/DATABASE");
    return maria_reconnect(database, MARIA_PATIENCE);
}

static void close_database(struct database *database)
{
    if (database == NULL)
        return;
    unlock_schema(database);
    maria_disconnect(database);
    for (struct statement *at = database->statements, *next; at != NULL; at = next) {
        next = at->next;
        for (unsigned i = 0; at->results != NULL && i < at->columns; i++)
            free(at->results[i].buffer);
        free(at->results);
        free(at->sql);
        free(at);
    }
    free(database->address.text);
    free(database);
    mysql_library_end();
}

const struct database_ops database_mariadb = {
    .scheme = "mariadb",
    .dialect = SCHEMA_MARIADB,
    .or_keep = "ON DUPLICATE KEY UPDATE",
    .share_lock = " LOCK IN SHARE MODE",
    .open = open_database,
    .version = maria_version,
    .set_version = maria_set_version,
    .lock_schema = lock_schema,
    .unlock_schema = unlock_schema,
    .change_schema = maria_script,
    .statement = statement_of,
    .write = maria_write,
    .select = maria_select,
    .next = maria_next,
    .begin = maria_begin,
    .commit = maria_commit,
    .rollback = maria_rollback,
    .error = error_text,
    .close = close_database,
};
