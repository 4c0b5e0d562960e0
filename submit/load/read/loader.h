/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loading: records go into the store in transactions of many. A damaged one is named on stderr, set
 * aside and counted, and the load goes on.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "conf/base/progress.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/read/batch_writer.h"
#include "submit/load/read/load_dir.h"
#include "submit/load/read/record_proof.h"
#include "submit/load/store/store.h"

struct load_counts {
    size_t fresh, updated, unchanged; /* in the store now */
    size_t conflicts;                 /* of those: uuids that others say, too; see store.h */
    size_t damaged, quarantined;      /* set aside; moved away */
    size_t incomplete;                /* syslog records of which blocks are still missing */
    size_t deleted;                   /* files */
    size_t unproven;                  /* of those in the store (record_proof.h) */
    size_t without_room;              /* what run_parts say of it */
    size_t unread[LOAD_EXTENSIONS];   /* runs with a part that nothing here reads */
};

struct loader {
    /* Set by the caller */
    struct store *store;
    size_t batch;      /* records in one transaction, at least 1 */
    bool delete_files; /* once the transaction that holds them is committed */
    bool dry_run;
    bool is_history;   /* the records are rows of XALT's database (store.h) */
    bool follows;      /* the same inputs again and again: a file that stays is looked at once */
    int quarantine_fd; /* -1: leave damaged files where they are */
    struct record_proof proof;         /* what is believed */
    const volatile sig_atomic_t *stop; /* not 0: read no more, but store what has been read */

    struct progress progress;  /* `is_shown` is the caller's */
    size_t read_before;        /* records: before the input that is shown */
    size_t visited;            /* files of records in the directory that is read or was */
    struct load_counts counts; /* of what is committed, or of what is damaged */
    bool no_records;           /* an input had none */
    bool input_trouble;        /* something could not be read at all */
    bool stopped;              /* before all was read */
    time_t aside_since;        /* when the lines of what was set aside began to be counted */
    size_t aside_lines;
    size_t kept; /* number of records set aside in the quarantine that were no files */

    const struct load_source *source; /* of the places; NULL for a stream */
    bool way_is_closed;               /* nobody else can put another in the place of the source */
    struct id_cache seen;             /* digests of parts of records that need no parsing */
    struct id_cache seen_files;   /* digests of files that stay, and of what was said of inputs */
    struct load_batch batches[2]; /* one is read, the other written */
    struct load_batch *next;      /* the one that is read */
    size_t limit; /* records of it: the first are smaller, so that writing begins soon */
    struct batch_writer *writer; /* owned */
};

/* Returns 0 or -ENOMEM. loader_free() releases what it took, and is to be called before the store
 * is closed. */
int loader_init(struct loader *loader);
void loader_free(struct loader *loader);

/* Whether to read no more although there may be more; notes that it was so. */
bool loader_stops(struct loader *loader);

/* Loads the directory or record file `path`. Returns 0 even when there was something to set aside;
 * -errno when the store failed, after saying so on stderr, and then no more should be loaded. */
int loader_load(struct loader *loader, const char *path);

/* Takes the record of `size` bytes at `text`, which is malloc'ed, has a NUL after it and is the
 * loader's from now on; `named` is as in load_record(), `origin` says in a message where it was
 * found. It comes from a stream, into which others may have written. Returns as loader_load(). */
int loader_take(struct loader *loader, char *text, size_t size, enum record_kind named,
                const char *origin);

/* Sets the text aside for this reason. */
void loader_set_aside(struct loader *loader, const char *text, size_t size, const char *origin,
                      const char *reason);

/* Puts what has been taken into the store. Returns as loader_load(). */
int loader_commit(struct loader *loader);

/* Sets all aside that has been taken and that the store failed to hold, where there is a
 * quarantine: for what no later call can read again. */
void loader_rescue(struct loader *loader);

/* Says on stderr that something is wrong with an input: "PATH: TROUBLE", in plain ASCII. */
void loader_report(struct loader *loader, const char *path, const char *trouble);

/* Says that an input cannot be read, with a positive errno; once where the loader follows. */
void loader_report_input(struct loader *loader, const char *path, int error);

/* Says that an input holds no records although it should. */
void loader_report_none(struct loader *loader, const char *path, const char *found);

/* Begins to show the progress of an input, of `total` files; 0: not known. */
void loader_begin_input(struct loader *loader, size_t total);

/* Records looked at. */
size_t load_counts_read(const struct load_counts *counts);
