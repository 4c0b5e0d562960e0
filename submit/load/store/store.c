/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/store_schema.h"
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
    if (error == 0)
        error = store_prepare_transaction(&store->transaction, &store->intern, &store->prefixes);
    return error;
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
    store_free_runs(&store->runs);
    store_free_parts(&store->parts);
    store_free_intern(&store->intern);
    store_free_prefixes(&store->prefixes);
    free(store);
}
