/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs, in batches: one question for many uuids, one message for many rows.
 */
#ifndef JOBTRAIL_STORE_RUNS_H
#define JOBTRAIL_STORE_RUNS_H

#include "submit/load/store/store_parts.h"
#include "submit/load/store/store_result.h"

struct store_runs {
    struct store_connection *on;
    struct store_intern *intern;
    struct store_parts *parts;
    struct run_batch *batch; /* owned: of the batch at hand */
    struct statement *find, *add, *update;
};

int store_prepare_runs(struct store_runs *runs, struct store_parts *parts);

/* Chooses which runs are new or end, and asks for what they share; writes them. */
int store_want_runs(struct store_runs *runs, struct record *records, size_t count,
                    enum store_result *results);
int store_put_runs(struct store_runs *runs);

/* Drops the batch at hand. */
void store_free_runs(struct store_runs *runs);

#endif
