/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "submit/load/database/schema.h"

/* How long a transaction is tried again, and how long it waits between two tries. */
#define PATIENCE_SECONDS 60
#define FIRST_WAIT_MS    20
#define LAST_WAIT_MS     2000

/* ---- Trouble --------------------------------------------------------------------------------- */

int store_refuse(struct store *store, int error, const char *text)
{
    snprintf(store->error, sizeof store->error, "%s", text);
    return error;
}

const char *store_error(const struct store *store)
{
    if (store == NULL)
        return "out of memory";
    return store->error[0] != '\0' ? store->error : store->ops->error(store->database);
}

/* ---- Transactions ---------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Not all that were in each other's way shall come back at the same time. */
static void wait_a_moment(unsigned ms)
{
    unsigned chance = 0;
    (void)!getrandom(&chance, sizeof chance, 0);
    unsigned chosen = ms / 2 + chance % ms;
    struct timespec time = {chosen / 1000, (long)(chosen % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void forget(struct store *store)
{
    id_cache_clear(&store->known);
    store->generation = 0;
}

/* What a batch has left. */
static void clean_up(struct store *store)
{
    store_forget_wants(store);
    store_free_runs(store);
    store_forget_parts(store);
    store->replaces = false;
}

/* Somebody may have removed rows whose ids are known here, or changed the modules. */
static int check_generation(struct store *store)
{
    struct value row[1] = {{.kind = VALUE_NULL}};
    int error = store->ops->select(store->database, store->get_generation, NULL);
    if (error == 0)
        error = store->ops->next(store->database, store->get_generation, row, 1);
    if (error < 0)
        return error;
    int64_t generation = error == 0 ? 0 : value_whole(row);
    if (error > 0) /* to the end */
        error = store->ops->next(store->database, store->get_generation, row, 1);
    if (error == 0 && generation != store->generation) {
        forget(store);
        error = store_read_modules(store);
        store->generation = generation;
    }
    return error;
}

static int try_once(struct store *store, int (*work)(struct store *store, void *context),
                    void *context)
{
    store->error[0] = '\0';
    id_cache_trim(&store->known);
    int error = store->ops->begin(store->database);
    if (error == 0)
        error = check_generation(store);
    if (error == 0)
        error = work(store, context);
    if (error == 0)
        error = store->ops->commit(store->database);
    if (error != 0) {
        store->ops->rollback(store->database);
        forget(store);
    }
    clean_up(store);
    return error;
}

/* What is tried again while it returns -EAGAIN. */
struct attempt {
    int (*try)(struct store *store, int (*work)(struct store *store, void *context), void *context);
    int (*work)(struct store *store, void *context);
    void *context;
};

static int with_patience(struct store *store, const struct attempt *attempt)
{
    double deadline = now() + PATIENCE_SECONDS;
    unsigned wait_ms = FIRST_WAIT_MS;
    for (;;) {
        int error = attempt->try(store, attempt->work, attempt->context);
        if (error != -EAGAIN || now() > deadline)
            return error;
        wait_a_moment(wait_ms);
        if (wait_ms < LAST_WAIT_MS)
            wait_ms *= 2;
    }
}

int store_transaction(struct store *store, int (*work)(struct store *store, void *context),
                      void *context)
{
    const struct attempt attempt = {try_once, work, context};
    return with_patience(store, &attempt);
}

/* ---- The schema ------------------------------------------------------------------------------ */

static int refuse_version(struct store *store, int version, const char *advice)
{
    snprintf(store->error, sizeof store->error,
             "its tables are of version %d, and this jobtrail-load makes version %d: %s", version,
             store->ops->schema->version, advice);
    return -EINVAL;
}

static bool has_way_from(const struct schema *schema, int version)
{
    for (; version < schema->version; version++)
        if (schema->steps[version] == NULL)
            return false;
    return true;
}

static int ask_version(struct store *store, int *version)
{
    const struct schema *schema = store->ops->schema;
    int error = store->ops->version(store->database, version);
    if (error != 0)
        return error;
    if (*version > schema->version)
        return refuse_version(store, *version, "use the newer jobtrail-load");
    if (*version != 0 && !has_way_from(schema, *version))
        return refuse_version(store, *version, "load the records into a new store");
    const bool is_undone = store->ops->lock_schema == NULL; /* at the end of a dry run */
    if (store->dry_run && !is_undone && *version < schema->version)
        return store_refuse(store, -EIO,
                            *version == 0 ? "has no tables yet, and a dry run makes none"
                                          : "has older tables, and a dry run changes none");
    return 0;
}

/* Makes the tables, or those of an earlier version into those of this one. */
static int make_schema(struct store *store, int version)
{
    const struct database_ops *ops = store->ops;
    const struct schema *schema = ops->schema;
    int error = version == 0 ? ops->change_schema(store->database, schema->tables) : 0;
    for (; error == 0 && version != 0 && version < schema->version; version++)
        error = ops->change_schema(store->database, schema->steps[version]);
    if (error == 0)
        error = ops->change_schema(store->database, schema->views);
    return error == 0 ? ops->set_version(store->database, schema->version) : error;
}

/* Of several loaders that start at once one makes the tables, and the others find them. */
static int renew_schema(struct store *store, int version)
{
    const struct database_ops *ops = store->ops;
    int error = 0;
    if (ops->lock_schema != NULL) {
        error = ops->lock_schema(store->database);
        if (error == 0)
            error = ask_version(store, &version);
    }
    if (error == 0 && version < store->ops->schema->version)
        error = make_schema(store, version);
    if (ops->unlock_schema != NULL)
        ops->unlock_schema(store->database);
    return error;
}

/* In a transaction, for databases that make tables in one. */
static int try_schema(struct store *store, int (*work)(struct store *store, void *context),
                      void *context)
{
    int version = 0;
    (void)work;
    (void)context;
    int error = store->ops->begin(store->database);
    if (error == 0)
        error = ask_version(store, &version);
    if (error == 0 && version < store->ops->schema->version)
        error = renew_schema(store, version);
    if (error == 0)
        error = store->ops->commit(store->database);
    if (error != 0)
        store->ops->rollback(store->database);
    return error;
}

static int ensure_schema(struct store *store)
{
    const struct attempt attempt = {try_schema, NULL, NULL};
    return with_patience(store, &attempt);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

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

struct statement *store_statement(struct store *store, const char *sql, int *error)
{
    struct statement *statement = store->ops->statement(store->database, sql);
    if (statement == NULL)
        *error = store_refuse(store, -ENOMEM, "out of memory");
    return statement;
}

int store_text_open(struct store *store, struct store_text *text)
{
    text->text = NULL;
    text->file = open_memstream(&text->text, &text->size);
    return text->file == NULL ? store_refuse(store, -ENOMEM, "out of memory") : 0;
}

struct statement *store_text_statement(struct store *store, struct store_text *text, int *error)
{
    struct statement *statement = NULL;
    if (fclose(text->file) == 0)
        statement = store_statement(store, text->text, error);
    else
        *error = store_refuse(store, -ENOMEM, "out of memory");
    free(text->text);
    return statement;
}

int store_has_row(struct store *store, struct statement *statement, const struct value *parameters)
{
    struct value row[1];
    bool found = false;
    int more, error = store->ops->select(store->database, statement, parameters);
    if (error != 0)
        return error;
    while ((more = store->ops->next(store->database, statement, row, 1)) > 0)
        found = true;
    return more < 0 ? more : found;
}

static int prepare_state(struct store *store)
{
    char sql[128];
    int error = 0;
    snprintf(sql, sizeof sql, "SELECT value FROM store_state WHERE name = 'generation'%s",
             store->ops->share_lock);
    store->get_generation = store_statement(store, sql, &error);
    store->add_generation = store_statement(
        store, "UPDATE store_state SET value = value + 1 WHERE name = 'generation'", &error);
    store->add_replaced = store_statement(
        store, "UPDATE store_state SET value = value + 1 WHERE name = 'replaced'", &error);
    store->get_prefixes =
        store_statement(store, "SELECT prefix, module_id FROM module_path", &error);
    return error;
}

static int prepare(struct store *store)
{
    int error = prepare_state(store);
    if (error == 0)
        error = store_prepare_intern(store);
    if (error == 0)
        error = store_prepare_parts(store);
    if (error == 0)
        error = store_prepare_runs(store);
    if (error == 0)
        error = store_prepare_links(store);
    if (error == 0)
        error = store_prepare_packages(store);
    return error == 0 ? store_prepare_coverage(store) : error;
}

int store_open(const struct database_ops *ops, const char *location, bool dry_run,
               struct store **out)
{
    struct store *store = calloc(1, sizeof *store);
    *out = store;
    if (store == NULL)
        return -ENOMEM;
    store->ops = ops;
    store->dry_run = dry_run;
    int error = ops->open(location, dry_run, &store->database);
    if (error == 0)
        error = ensure_schema(store);
    return error == 0 ? prepare(store) : error;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    store->ops->close(store->database);
    store_free_runs(store);
    store_free_wants(store);
    free(store->new_parts);
    id_cache_free(&store->known);
    id_cache_free(&store->prefixes);
    free(store);
}

/* ---- Records --------------------------------------------------------------------------------- */

struct put {
    struct record *records;
    size_t count;
    enum store_result *results;
};

static int want_other(struct store *store, struct record *record, enum store_result *result)
{
    switch (record->kind) {
    case RECORD_LINK:
        return store_want_link(store, record, result);
    case RECORD_PACKAGE:
        return store_want_package(store, record);
    default:
        return 0;
    }
}

static int put_other(struct store *store, const struct record *record, enum store_result *result)
{
    switch (record->kind) {
    case RECORD_LINK:
        return store_put_link(store, record, result);
    case RECORD_PACKAGE:
        return store_put_package(store, record, result);
    case RECORD_COVERAGE:
        return store_put_coverage(store, record, result);
    default:
        return 0;
    }
}

/* The tables that what the records share is in, apart from programs and parts of records. */
static int settle_shared(struct store *store)
{
    static const enum table shared[] = {TABLE_EXECUTABLE, TABLE_JOB_PART, TABLE_LAYOUT,
                                        TABLE_ENDING, TABLE_PACKAGE};
    int error = store_settle_parts(store);
    for (size_t i = 0; error == 0 && i < sizeof shared / sizeof shared[0]; i++)
        error = store_settle(store, shared[i]);
    return error;
}

static int put_records(struct store *store, void *context)
{
    const struct put *put = context;
    int error = store_want_runs(store, put->records, put->count, put->results);
    for (size_t i = 0; error == 0 && i < put->count; i++)
        error = want_other(store, &put->records[i], &put->results[i]);
    if (error == 0)
        error = settle_shared(store);
    if (error == 0)
        error = store_put_runs(store);
    for (size_t i = 0; error == 0 && i < put->count; i++)
        error = put_other(store, &put->records[i], &put->results[i]);
    if (error == 0 && store->replaces)
        error = store->ops->write(store->database, store->add_replaced, NULL, 1);
    return error;
}

int store_put(struct store *store, struct record *records, size_t count, enum store_result *results)
{
    struct put put = {records, count, results};
    return store_transaction(store, put_records, &put);
}
