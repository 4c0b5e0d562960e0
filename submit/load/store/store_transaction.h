/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transactions, and whether what this loader remembers of the store is still so.
 */
#ifndef JOBTRAIL_STORE_TRANSACTION_H
#define JOBTRAIL_STORE_TRANSACTION_H

#include "submit/load/store/store_intern.h"

struct store_transaction {
    struct store_connection *on;
    struct store_intern *intern;
    struct store_prefixes *prefixes;
    int64_t generation; /* of the ids that are known; 0: none */
    struct statement *get_generation, *add_generation;
};

int store_prepare_transaction(struct store_transaction *transaction, struct store_intern *intern,
                              struct store_prefixes *prefixes);

/* Runs `work` in a transaction, as store_put() says. */
int store_transact(struct store_transaction *transaction, int (*work)(void *context),
                   void *context);

/* What loaders remember is no longer valid, once this transaction is committed. */
int store_new_generation(struct store_transaction *transaction);

#endif
