/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A thread that puts one batch of records into the store while the next is being read. Nobody else
 * may use the store, or the batch, between batch_writer_start() and batch_writer_wait().
 */
#pragma once

#include "submit/load/read/load_dir.h"
#include "submit/load/store/store.h"

struct load_batch {
    struct record *records;     /* owned, as all that follows */
    struct load_place *places;  /* of each record */
    enum store_result *results; /* of each record, once it is stored */
    size_t count;
    size_t bytes; /* that the records take, about */
};

struct batch_writer;

/* NULL when out of memory, or of threads. The store must outlive the writer. */
struct batch_writer *batch_writer_new(struct store *store);

/* The writer must have nothing to do. */
void batch_writer_start(struct batch_writer *writer, struct load_batch *batch);

/* Waits until the writer has nothing to do. Returns the batch that was started last, and what
 * store_put() said of it in `*error`; NULL when none was started since the last call. */
struct load_batch *batch_writer_wait(struct batch_writer *writer, int *error);

/* Waits, too. Takes NULL. */
void batch_writer_free(struct batch_writer *writer);
