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

/* In this order: what used a row goes before it. */
static const char *const orphans[] = {
    "DELETE FROM program WHERE id NOT IN (SELECT program_id FROM run_own)",
    "DELETE FROM job_part WHERE id NOT IN (SELECT job_part_id FROM run_own)",
    "DELETE FROM layout WHERE id NOT IN (SELECT layout_id FROM run_own)",
    "DELETE FROM ending WHERE id NOT IN (SELECT ending_id FROM run_own)",
    "DELETE FROM build WHERE id NOT IN (SELECT build_id FROM program WHERE build_id IS NOT NULL)"
    " AND build_epoch < ?",
    "DELETE FROM link WHERE build_epoch < ? AND NOT EXISTS (SELECT 1 FROM build"
    " WHERE build_uuid = link.uuid AND coalesce(build.build_user, '') = link.build_user)",
    "UPDATE link SET xalt_uuid = uuid WHERE xalt_uuid <> uuid AND 1 = (SELECT count(*)"
    " FROM link AS other WHERE other.uuid = link.uuid AND other.proven >= link.proven)",
    "DELETE FROM environment WHERE id NOT IN"
    " (SELECT environment_id FROM run_own WHERE environment_id IS NOT NULL)",
    "DELETE FROM env_value WHERE id NOT IN (SELECT env_value_id FROM environment_member)",
    "DELETE FROM env_name WHERE id NOT IN (SELECT env_name_id FROM env_value)",
    "DELETE FROM ancestors WHERE id NOT IN"
    " (SELECT ancestors_id FROM run_own WHERE ancestors_id IS NOT NULL)",
    "DELETE FROM object_set WHERE id NOT IN"
    " (SELECT object_set_id FROM program WHERE object_set_id IS NOT NULL) AND id NOT IN"
    " (SELECT object_set_id FROM link WHERE object_set_id IS NOT NULL)",
    "DELETE FROM object_set_member WHERE object_set_id NOT IN (SELECT id FROM object_set)",
    "DELETE FROM object WHERE id NOT IN (SELECT object_id FROM object_set_member)",
    "DELETE FROM executable WHERE id NOT IN"
    " (SELECT executable_id FROM program WHERE executable_id IS NOT NULL) AND id NOT IN"
    " (SELECT executable_id FROM link WHERE executable_id IS NOT NULL)",
    "DELETE FROM function_set WHERE id NOT IN"
    " (SELECT function_set_id FROM link WHERE function_set_id IS NOT NULL)",
    "DELETE FROM function_set_member WHERE function_set_id NOT IN (SELECT id FROM function_set)",
    "DELETE FROM function_name WHERE id NOT IN"
    " (SELECT function_name_id FROM function_set_member)",
    "DELETE FROM package WHERE id NOT IN (SELECT package_id FROM run_package)",
    "DELETE FROM package_owner WHERE id NOT IN (SELECT owner FROM run_package)",
    "DELETE FROM coverage WHERE end_time < ?",
    "DELETE FROM routine WHERE id NOT IN (SELECT routine_id FROM run_routine)",
    "DELETE FROM routine_library WHERE id NOT IN (SELECT routine_library_id FROM routine)"
    " AND id NOT IN (SELECT routine_library_id FROM run_routine_library)",
    "DELETE FROM routine_maker WHERE day < ? / 86400.0 - 1 OR (routine_library_id <> 0"
    " AND routine_library_id NOT IN (SELECT id FROM routine_library))",
    "DELETE FROM ranks WHERE end_time < ?",
    "DELETE FROM profile WHERE end_time < ?",
    /* what a first scan found is reported once, however long it lies there */
    "DELETE FROM library_event WHERE found < ? AND coalesce(first_scan, 0) = 0",
    "DELETE FROM slurm_job WHERE end_time < ?",
    "DELETE FROM job_again WHERE start_time < ?",
};
#define ORPHANS (sizeof orphans / sizeof orphans[0])

/* What goes with its run, whose id another one may get: also of an extension that is not built. */
static const char *const of_runs[] = {
    "DELETE FROM run_day WHERE run_id = ?",
    "DELETE FROM run_routine WHERE run_id = ?",
    "DELETE FROM run_routine_library WHERE run_id = ?",
    "DELETE FROM run_routine_watch WHERE run_id = ?",
};
#define OF_RUNS (sizeof of_runs / sizeof of_runs[0])

struct expiry {
    double when;
    char date[RECORD_DATE_SIZE]; /* the start of no run from before `when` is given as later */
    struct statement *old_runs, *delete_run, *delete_packages, *delete_own[OF_RUNS];
    struct statement *delete_orphans[ORPHANS];
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
    for (size_t i = 0; error == 0 && expiry->found > 0 && i < OF_RUNS; i++)
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
    for (size_t i = 0; error == 0 && i < ORPHANS; i++)
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
    for (size_t i = 0; i < OF_RUNS; i++)
        expiry->delete_own[i] = store_statement(&store->connection, of_runs[i], &error);
    expiry->delete_run = store_statement(
        &store->connection, "DELETE FROM run_own WHERE uuid = ? AND owner = ?", &error);
    /* its own, and with the last run of a uuid all that has that uuid */
    expiry->delete_packages = store_statement(
        &store->connection,
        "DELETE FROM run_package WHERE run_uuid = ? AND (owner = ?"
        " OR NOT EXISTS (SELECT 1 FROM run_own WHERE run_own.uuid = run_package.run_uuid))",
        &error);
    for (size_t i = 0; i < ORPHANS; i++)
        expiry->delete_orphans[i] = store_statement(&store->connection, orphans[i], &error);
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
