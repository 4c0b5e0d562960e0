/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A store: where run records go. A kind of store is a table of operations; the calls return 0 or
 * -errno, and after a failure error() says in words what is wrong and what can be done.
 *
 * The run's uuid is the key. An end record replaces the start record of its run; apart from that
 * what is stored first stays, so that a replay changes nothing, in whatever order it comes.
 */
#ifndef JOBTRAIL_STORE_H
#define JOBTRAIL_STORE_H

#include <stdbool.h>

#include "coverage_load.h"
#include "load_record.h"

struct store; /* each kind defines its own */

enum store_result {
    STORE_NEW,      /* the first record of this run */
    STORE_UPDATED,  /* the end of a run whose start was known */
    STORE_UNCHANGED /* nothing new */
};

struct store_ops {
    const char *scheme; /* "sqlite" in sqlite:FILE */

    /* Opens the store at `location` (the address without its scheme), making it if need be. With
     * `dry_run` nothing on disk is made or changed, whatever is put and committed. Always sets
     * `*store`, to NULL only when out of memory; close it after a failure too. */
    int (*open)(const char *location, bool dry_run, struct store **store);

    int (*begin)(struct store *store);
    int (*put_run)(struct store *store, const struct run_record *record, enum store_result *result);
    int (*put_coverage)(struct store *store, const struct coverage_load *record,
                        enum store_result *result);

    /* Returns 0 only when what was put since begin() will survive a power loss. */
    int (*commit)(struct store *store);

    /* Valid until the next call; never NULL. */
    const char *(*error)(const struct store *store);

    /* Drops what was not committed. Takes NULL. */
    void (*close)(struct store *store);
};

extern const struct store_ops store_sqlite;

#endif
