/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transactions, and whether what this loader remembers of the store is still so.
 */
#include <errno.h>
#include <sys/random.h>
#include <time.h>

#include "conf/base/clocks.h"
#include "submit/load/store/store_state.h"

/* How long a transaction is tried again, and how long it waits between two tries. */
#define PATIENCE_SECONDS 60
#define FIRST_WAIT_MS    20
#define LAST_WAIT_MS     2000

/* Not all that were in each other's way shall come back at the same time. */
static void wait_a_moment(unsigned ms)
{
    unsigned chance = 0;
    (void)!getrandom(&chance, sizeof chance, 0);
    unsigned chosen = ms / 2 + chance % ms;
    struct timespec time = {chosen / 1000, (long)(chosen % 1000) * 1000000};
    nanosleep(&time, NULL);
}

int store_patiently(int (*attempt)(void *context), void *context)
{
    double deadline = clock_seconds(CLOCK_MONOTONIC) + PATIENCE_SECONDS;
    unsigned wait_ms = FIRST_WAIT_MS;
    for (;;) {
        int error = attempt(context);
        if (error != -EAGAIN || clock_seconds(CLOCK_MONOTONIC) > deadline)
            return error;
        wait_a_moment(wait_ms);
        if (wait_ms < LAST_WAIT_MS)
            wait_ms *= 2;
    }
}

static void forget_ids(struct store *store)
{
    id_cache_clear(&store->intern.known);
    store->accounting.noted[0] = '\0';
    store->generation = 0;
}

/* Somebody may have removed rows whose ids are known here, or changed the modules. */
static int check_generation(struct store *store)
{
    int64_t generation = 0;
    int found = store_ask(&store->connection, store->get_generation, NULL, &generation, 1);
    if (found < 0 || generation == store->generation)
        return found < 0 ? found : 0;
    forget_ids(store);
    store->generation = generation;
    return store_read_modules(&store->prefixes);
}

/* What is tried again. */
struct attempt {
    struct store *store;
    int (*work)(struct store *store, void *context);
    void *context;
};

static int try_once(void *context)
{
    const struct attempt *attempt = context;
    struct store *store = attempt->store;
    struct store_connection *on = &store->connection;
    on->error[0] = '\0';
    on->replaces = false;
    store->again.count = 0;
    id_cache_trim(&store->intern.known);
    int error = on->ops->begin(on->database);
    if (error == 0)
        error = check_generation(store);
    if (error == 0)
        error = attempt->work(store, attempt->context);
    if (error == 0)
        error = on->ops->commit(on->database);
    if (error != 0) {
        on->ops->rollback(on->database);
        forget_ids(store);
    }
    for (enum table table = 0; table < TABLES; table++)
        store->intern.wants[table].count = 0;
    return error;
}

int store_transact(struct store *store, int (*work)(struct store *store, void *context),
                   void *context)
{
    struct attempt attempt = {store, work, context};
    return store_patiently(try_once, &attempt);
}

int store_new_generation(struct store *store)
{
    return store_write(&store->connection, store->add_generation, NULL, 1);
}
