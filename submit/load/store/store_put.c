/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store.h"

#include "submit/load/store/store_state.h"

struct put {
    struct store *store;
    struct record *records;
    size_t count;
    enum store_result *results;
};

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

static int put_other(struct store *store, const struct record *record, enum store_result *result)
{
    switch (record->kind) {
    case RECORD_LINK:
        return store_put_link(&store->links, record, result);
    case RECORD_PACKAGE:
        return store_put_package(&store->packages, record, result);
    case RECORD_COVERAGE:
        return store_put_coverage(&store->coverage, record, result);
    default:
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

static int put_all(struct store *store, const struct put *put)
{
    int error = store_want_runs(&store->runs, put->records, put->count, put->results);
    for (size_t i = 0; error == 0 && i < put->count; i++)
        error = want_other(store, &put->records[i], &put->results[i]);
    if (error == 0)
        error = settle_shared(store);
    if (error == 0)
        error = store_put_runs(&store->runs);
    for (size_t i = 0; error == 0 && i < put->count; i++)
        error = put_other(store, &put->records[i], &put->results[i]);
    if (error == 0 && store->connection.replaces)
        error = store_write(&store->connection, store->add_replaced, NULL, 1);
    return error;
}

static int put_records(void *context)
{
    const struct put *put = context;
    int error = put_all(put->store, put);
    store_free_runs(&put->store->runs);
    store_forget_parts(&put->store->parts);
    return error;
}

int store_put(struct store *store, struct record *records, size_t count, enum store_result *results)
{
    struct put put = {store, records, count, results};
    return store_transact(&store->transaction, put_records, &put);
}
