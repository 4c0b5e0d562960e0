/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_transaction.h"

#include <stdio.h>

#include "submit/load/store/store_patience.h"

int store_prepare_transaction(struct store_transaction *transaction, struct store_intern *intern,
                              struct store_prefixes *prefixes)
{
    char sql[128];
    int error = 0;
    struct store_connection *on = intern->on;
    transaction->on = on;
    transaction->intern = intern;
    transaction->prefixes = prefixes;
    snprintf(sql, sizeof sql, "SELECT value FROM store_state WHERE name = 'generation'%s",
             on->ops->share_lock);
    transaction->get_generation = store_statement(on, sql, &error);
    transaction->add_generation = store_statement(
        on, "UPDATE store_state SET value = value + 1 WHERE name = 'generation'", &error);
    return error;
}

static void forget_ids(struct store_transaction *transaction)
{
    id_cache_clear(&transaction->intern->known);
    transaction->generation = 0;
}

/* Somebody may have removed rows whose ids are known here, or changed the modules. */
static int check_generation(struct store_transaction *transaction)
{
    struct value row[1] = {{.kind = VALUE_NULL}};
    int error = store_select(transaction->on, transaction->get_generation, NULL);
    if (error == 0)
        error = store_next(transaction->on, transaction->get_generation, row, 1);
    if (error < 0)
        return error;
    int64_t generation = error == 0 ? 0 : value_whole(row);
    if (error > 0) /* to the end */
        error = store_next(transaction->on, transaction->get_generation, row, 1);
    if (error == 0 && generation != transaction->generation) {
        forget_ids(transaction);
        error = store_read_modules(transaction->prefixes);
        transaction->generation = generation;
    }
    return error;
}

/* What is tried again. */
struct attempt {
    struct store_transaction *transaction;
    int (*work)(void *context);
    void *context;
};

static int try_once(void *context)
{
    const struct attempt *attempt = context;
    struct store_transaction *transaction = attempt->transaction;
    struct store_connection *on = transaction->on;
    on->error[0] = '\0';
    on->replaces = false;
    id_cache_trim(&transaction->intern->known);
    int error = on->ops->begin(on->database);
    if (error == 0)
        error = check_generation(transaction);
    if (error == 0)
        error = attempt->work(attempt->context);
    if (error == 0)
        error = on->ops->commit(on->database);
    if (error != 0) {
        on->ops->rollback(on->database);
        forget_ids(transaction);
    }
    store_forget_wants(transaction->intern);
    return error;
}

int store_transact(struct store_transaction *transaction, int (*work)(void *context), void *context)
{
    struct attempt attempt = {transaction, work, context};
    return store_patiently(try_once, &attempt);
}

int store_new_generation(struct store_transaction *transaction)
{
    return store_write(transaction->on, transaction->add_generation, NULL, 1);
}
