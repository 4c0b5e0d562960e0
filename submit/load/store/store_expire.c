/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Retention. Runs go in many short transactions, so that loaders need not wait long.
 */
#include "submit/load/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/store_state.h"

#define RUNS_AT_ONCE 5000
#define ZONES_S      (2 * 86400) /* more than local times of loaders can differ by */

struct expiry {
    double when;
    char date[RECORD_DATE_SIZE]; /* the start of no run from before `when` is given as later */
    struct statement *old_runs, *delete_run, *delete_packages;
    struct statement *delete_own[SCHEMA_EXPIRY_MOST], *delete_orphans[SCHEMA_EXPIRY_MOST];
    size_t own, orphans;
    struct value (*keys)[2]; /* owned, and the texts: uuid and owner of each run */
    struct value *ids;       /* owned: its id */
    size_t found;
};

static struct value expiry_time(const struct expiry *expiry)
{
    return (struct value){.kind = VALUE_REAL, .real = expiry->when};
}

static void drop_found(struct expiry *expiry)
{
    for (size_t i = 0; i < expiry->found; i++)
        free((void *)(uintptr_t)expiry->keys[i][0].text);
    expiry->found = 0;
}

static int find_old(struct store *store, struct expiry *expiry)
{
    const struct value when[] = {value_text(expiry->date), expiry_time(expiry),
                                 expiry_time(expiry)};
    struct value row[3];
    int error = store_select(&store->connection, expiry->old_runs, when);
    if (error != 0)
        return error;
    while ((error = store_next(&store->connection, expiry->old_runs, row, 3)) > 0) {
        char *uuid = strndup(row[0].text, row[0].size);
        if (uuid == NULL)
            return store_refuse(&store->connection, -ENOMEM, "out of memory");
        expiry->keys[expiry->found][0] = value_text(uuid);
        expiry->ids[expiry->found] = value_int(value_whole(&row[2]));
        expiry->keys[expiry->found++][1] = value_int(value_whole(&row[1]));
    }
    return error;
}

static int delete_some(struct store *store, void *context)
{
    struct expiry *expiry = context;
    drop_found(expiry);
    int error = find_old(store, expiry);
    for (size_t i = 0; error == 0 && expiry->found > 0 && i < expiry->own; i++)
        error = store_write(&store->connection, expiry->delete_own[i], expiry->ids, expiry->found);
    if (error == 0 && expiry->found > 0)
        error = store_write(&store->connection, expiry->delete_run, expiry->keys[0], expiry->found);
    if (error == 0 && expiry->found > 0)
        error = store_write(&store->connection, expiry->delete_packages, expiry->keys[0],
                            expiry->found);
    return error;
}

/* Loaders hold the generation while they write: none is between finding an id and using it. */
static int delete_orphans(struct store *store, void *context)
{
    const struct expiry *expiry = context;
    const struct value when[] = {expiry_time(expiry)};
    int error = store_new_generation(store);
    for (size_t i = 0; error == 0 && i < expiry->orphans; i++)
        error = store_write(&store->connection, expiry->delete_orphans[i], when, 1);
    return error;
}

static int prepare_expiry(struct store *store, struct expiry *expiry)
{
    int error = 0;
    /* MariaDB has an index of dates, SQLite one of starts. Of a run without a start nobody can say
     * how old it is but by its record. */
    expiry->old_runs =
        store_statement(&store->connection,
                        "SELECT uuid, owner, id FROM run_own WHERE (date IS NULL OR date < ?)"
                        " AND (start_time < ? OR (start_time IS NULL"
                        " AND record_epoch IS NOT NULL AND record_epoch < ?)) LIMIT 5000",
                        &error);
    expiry->delete_run = store_statement(
        &store->connection, "DELETE FROM run_own WHERE uuid = ? AND owner = ?", &error);
    /* its own, and with the last run of a uuid all that has that uuid */
    expiry->delete_packages = store_statement(
        &store->connection,
        "DELETE FROM run_package WHERE run_uuid = ? AND (owner = ?"
        " OR NOT EXISTS (SELECT 1 FROM run_own WHERE run_own.uuid = run_package.run_uuid))",
        &error);
    for (const char *const *sql = schema_expiry; *sql != NULL; sql++) {
        bool is_own = strstr(*sql, "WHERE run_id = ?") != NULL;
        struct statement **delete = is_own ? &expiry->delete_own[expiry->own++]
                                           : &expiry->delete_orphans[expiry->orphans++];
        *delete = store_statement(&store->connection, *sql, &error);
    }
    return error;
}

int store_expire(struct store *store, double when, const volatile sig_atomic_t *stop, size_t *runs)
{
    struct expiry expiry = {.when = when};
    record_date((struct record_real){true, when + ZONES_S}, expiry.date);
    expiry.keys = calloc(RUNS_AT_ONCE, sizeof *expiry.keys);
    expiry.ids = calloc(RUNS_AT_ONCE, sizeof *expiry.ids);
    *runs = 0;
    int error = expiry.keys == NULL || expiry.ids == NULL
                    ? store_refuse(&store->connection, -ENOMEM, "out of memory")
                    : prepare_expiry(store, &expiry);
    do {
        if (error == 0)
            error = store_transact(store, delete_some, &expiry);
        if (error == 0)
            *runs += expiry.found;
    } while (error == 0 && expiry.found > 0 && !store->connection.dry_run && *stop == 0);
    if (error == 0 && *stop == 0)
        error = store_transact(store, delete_orphans, &expiry);
    drop_found(&expiry);
    free(expiry.keys);
    free(expiry.ids);
    return error;
}
