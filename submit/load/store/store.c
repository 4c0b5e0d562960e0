/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/store_state.h"

const struct database_ops *store_kind(const char *address, const char **location)
{
    static const struct database_ops *const kinds[] = {&database_sqlite, &database_mariadb};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i]->scheme);
        if (strncmp(address, kinds[i]->scheme, length) == 0 && address[length] == ':' &&
            address[length + 1] != '\0') {
            *location = address + length + 1;
            return kinds[i];
        }
    }
    return NULL;
}

static int prepare_modules(struct store *store)
{
    struct store_connection *on = &store->connection;
    int error = 0;
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT value FROM store_state WHERE name = 'generation'%s",
             on->ops->share_lock);
    store->get_generation = store_statement(on, sql, &error);
    store->add_generation = store_statement(
        on, "UPDATE store_state SET value = value + 1 WHERE name = 'generation'", &error);
    store->add_replaced = store_statement(
        on, "UPDATE store_state SET value = value + 1 WHERE name = 'replaced'", &error);
    if (error == 0)
        error = store_prepare_prefixes(&store->prefixes, on);
    if (error == 0)
        error = store_prepare_intern(&store->intern, on, &store->prefixes);
    if (error == 0)
        error = store_prepare_parts(&store->parts, &store->intern);
    if (error == 0)
        error = store_prepare_runs(&store->runs, &store->parts);
    if (error == 0)
        error = store_prepare_links(&store->links, &store->parts);
    if (error == 0)
        error = store_prepare_packages(&store->packages, &store->intern);
    if (error == 0)
        error = store_prepare_coverage(&store->coverage, on);
    for (size_t i = 0; error == 0 && kind_parts[i] != NULL; i++)
        error = kind_parts[i]->prepare(on, &store->of_kind[i]);
    if (error == 0)
        error = store_prepare_slurm(&store->accounting, on);
    if (error == 0)
        error = store_prepare_again(&store->again, on);
    return error == 0 ? store_prepare_zone(&store->zone, on) : error;
}

int store_open(const struct database_ops *ops, const char *location, bool dry_run,
               struct store **out)
{
    struct store *store = calloc(1, sizeof *store);
    *out = store;
    if (store == NULL)
        return -ENOMEM;
    store->connection.ops = ops;
    store->connection.dry_run = dry_run;
    int error = ops->open(location, dry_run, &store->connection.database);
    if (error == 0)
        error = store_ensure_schema(&store->connection);
    return error == 0 ? prepare_modules(store) : error;
}

static int want_other(struct store *store, struct record *record, enum store_result *result)
{
    switch (record->kind) {
    case RECORD_LINK:
        return store_want_link(&store->links, record, result);
    case RECORD_PACKAGE:
        return store_want_package(&store->packages, record);
    default:
        return 0;
    }
}

static const char *job_text(const struct record *record, const char *key)
{
    return json_object_get_string(json_object_object_get(record->coverage.job, key));
}

/* And what it says of its cluster, if nobody but root can have said that, and its time zone. */
static int put_coverage(struct store *store, const struct record *record, enum store_result *result)
{
    int error = store_put_coverage(&store->coverage, record, result);
    if (error == 0 && !record->unproven)
        error = store_note_cluster(&store->accounting, job_text(record, "cluster"));
    if (error != 0 || *result == STORE_CROWDED || *result == STORE_UNCHANGED)
        return error;
    error = store_note_zone(&store->zone, job_text(record, "timezone"), !record->unproven);
    json_object *number = json_object_object_get(record->coverage.job, "job_id");
    return error == 0 ? store_note_again(&store->again, json_object_get_int64(number)) : error;
}

static int put_other(struct store *store, const struct record *record, enum store_result *result)
{
    switch (record->kind) {
    case RECORD_LINK:
        return store_put_link(&store->links, record, result);
    case RECORD_PACKAGE:
        return store_put_package(&store->packages, record, result);
    case RECORD_COVERAGE:
        return put_coverage(store, record, result);
    default:
        for (size_t i = 0; kind_parts[i] != NULL; i++)
            if (kind_parts[i]->kind == record->kind)
                return kind_parts[i]->put(store->of_kind[i], record, result);
        return 0;
    }
}

/* The tables with what records share, except for programs, which need the ids of all others. */
static int settle_shared(struct store *store)
{
    static const enum table shared[] = {TABLE_EXECUTABLE, TABLE_JOB_PART, TABLE_LAYOUT,
                                        TABLE_ENDING, TABLE_PACKAGE};
    int error = store_settle_parts(&store->parts);
    for (size_t i = 0; error == 0 && i < sizeof shared / sizeof shared[0]; i++)
        error = store_settle(&store->intern, shared[i]);
    return error;
}

struct put {
    struct record *records;
    size_t count;
    enum store_result *results;
};

static int put_all(struct store *store, const struct put *put)
{
    store_begin_zone(&store->zone);
    int error = store_want_runs(&store->runs, put->records, put->count, put->results);
    for (size_t i = 0; error == 0 && i < put->count; i++)
        error = want_other(store, &put->records[i], &put->results[i]);
    if (error == 0)
        error = settle_shared(store);
    if (error == 0)
        error = store_put_runs(&store->runs);
    for (size_t i = 0; error == 0 && i < put->count; i++)
        error = put_other(store, &put->records[i], &put->results[i]);
    if (error == 0)
        error = store_settle_again(&store->again);
    if (error == 0 && store->connection.replaces)
        error = store_write(&store->connection, store->add_replaced, NULL, 1);
    return error;
}

static int put_records(struct store *store, void *put)
{
    int error = put_all(store, put);
    store_free_runs(&store->runs);
    store_forget_parts(&store->parts);
    return error;
}

int store_put(struct store *store, struct record *records, size_t count, enum store_result *results)
{
    struct put put = {records, count, results};
    int error = store_transact(store, put_records, &put);
    return error == 0 ? store_settle_zone(store) : error;
}

const char *store_error(const struct store *store)
{
    if (store == NULL)
        return "out of memory";
    const struct store_connection *on = &store->connection;
    return on->error[0] != '\0' ? on->error : on->ops->error(on->database);
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    store->connection.ops->close(store->connection.database);
    for (size_t i = 0; kind_parts[i] != NULL; i++)
        kind_parts[i]->free(store->of_kind[i]);
    store_free_slurm(&store->accounting);
    store_close_runs(&store->runs);
    store_free_parts(&store->parts);
    store_free_intern(&store->intern);
    id_cache_free(&store->prefixes.known);
    free(store);
}
