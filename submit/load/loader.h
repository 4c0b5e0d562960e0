/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loading: each record of a source goes into the store, in transactions of many files. A damaged
 * one is named on stderr, set aside and counted, and the load goes on.
 */
#ifndef JOBTRAIL_LOADER_H
#define JOBTRAIL_LOADER_H

#include <stdbool.h>
#include <stddef.h>

#include "load_dir.h"
#include "store.h"

struct load_counts {
    size_t fresh, updated, unchanged; /* in the store now */
    size_t damaged, quarantined;      /* set aside; moved away */
    size_t deleted;
};

struct loader {
    /* Set by the caller */
    const struct store_ops *ops;
    struct store *store;
    size_t batch;      /* files in one transaction, at least 1 */
    bool delete_files; /* once the transaction that holds them is committed */
    bool dry_run;
    bool show_progress; /* on stderr */
    int quarantine_fd;  /* -1: leave damaged files where they are */

    struct load_counts counts; /* of what is committed, or of what is damaged */
    bool input_trouble;        /* something could not be read at all */

    /* The transaction that is open */
    const struct load_source *source;
    struct load_counts pending;
    struct load_place *places; /* owned: `places_count` files, up to `batch` */
    size_t places_count;
};

/* Returns 0 or -ENOMEM. loader_free() releases what it took. */
int loader_init(struct loader *loader);
void loader_free(struct loader *loader);

/* Loads the directory or file `path`. Returns 0 even when there was something to set aside; -errno
 * when the store failed, after saying so on stderr, and then no more should be loaded. */
int loader_load(struct loader *loader, const char *path);

/* Files looked at. */
size_t load_counts_read(const struct load_counts *counts);

#endif
