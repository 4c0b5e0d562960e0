/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One loader at a time changes the tables. MariaDB commits each statement that does, so a
 * transaction cannot keep others out; a lock of the server (GET_LOCK) does. The connection that
 * changes the tables holds it. When the loader is killed, the server runs the script that it has
 * received to its end, and only then releases the lock.
 *
 * In a Galera cluster such a lock is known to one node only. There a row of the table
 * store_migration names the node whose loaders may change the tables. All nodes agree on it, and it
 * is left when a loader is killed, until a loader at the same node has finished the work.
 */
#include "submit/load/database/mariadb_inside.h"

#include <errno.h>

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

int maria_lock_schema(struct database *database)
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

void maria_unlock_schema(struct database *database)
{
    if (!database->has_lock)
        return;
    if (database->has_claim && database->connection != NULL)
        mysql_query(database->connection, "DROP TABLE IF EXISTS store_migration");
    database->has_lock = database->has_claim = false;
    maria_reconnect(database, MARIA_PATIENCE);
}
