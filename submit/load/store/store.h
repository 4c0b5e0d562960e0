/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The store: where records go, whatever database it is in. Calls return 0 or -errno. After a
 * failure store_error() has a message with what is wrong and what can be done.
 *
 * The key of a run is its uuid and its owner (record_owner.h), as anybody can write another's uuid
 * into a record; that of a link its uuid and the user who built. An end record replaces the start
 * record of its run, and a proven record an unproven one of the same key, never the other way
 * round. Apart from that what is stored first stays, so that a replay changes nothing, in whatever
 * order it comes.
 *
 * Sites load records of jobtrail's into XALT's database, too. So a record of a row of that
 * (`is_history`) adds no run where the store has one with this uuid, user and number of the job
 * that is proven or where the row is not; and packages only to runs of XALT's.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "conf/library_modules.h"
#include "submit/load/database/database.h"
#include "submit/load/parse/load_record.h"

struct store;

/* The most owners of a uuid that are kept without a proof. Anybody can claim a uuid as often as
 * they like, and each claim costs time whenever a record with the uuid comes. */
#define STORE_CLAIMS 16

enum store_result {
    STORE_NEW,       /* the first record of this run, link or package */
    STORE_CONFLICT,  /* the same, and its uuid is another owner's, too: both are kept */
    STORE_UPDATED,   /* the end of a run whose start was known; proven, in place of unproven */
    STORE_UNCHANGED, /* nothing new */
    STORE_UNPROVEN,  /* an end that is not proven, of a start that is: left out */
    STORE_CROWDED    /* not proven, and STORE_CLAIMS others of its uuid are not: left out */
};

/* The kind of database that an address like sqlite:FILE names, and in `*location` what follows the
 * colon; NULL when there is no such kind. */
const struct database_ops *store_kind(const char *address, const char **location);

/* Opens the store, making its tables or bringing them to the present version if need be. With
 * `dry_run` nothing on disk is made or changed. Always sets `*store`, to NULL only when out of
 * memory; close it after a failure too. */
int store_open(const struct database_ops *ops, const char *location, bool dry_run,
               struct store **store);

/* Gives the process the time zone in which dates of runs and links are made: `said`, else that of
 * the store, else the machine's. Where the store's dates are in another one they are made anew.
 * From now on a store that has no zone takes that of the first proven coverage record, so that
 * store_put() may change the process's. Returns -EINVAL where the machine lacks the zone. */
int store_use_zone(struct store *store, const char *said);

/* How many coverage records had days of another zone than `*zone`, such as `*first`, which users
 * may have written. Takes NULL. */
size_t store_other_zones(const struct store *store, const char **zone, const char **first);

/* Puts the records in one transaction, which is tried again for a minute while other writers are in
 * its way or the database is away. Returns 0 when it is committed, with what became of each record
 * in `results`; else nothing is stored: -EBADMSG when the database does not take a value of one of
 * the records, or another -errno. */
int store_put(struct store *store, struct record *records, size_t count,
              enum store_result *results);

/* Removes runs that started before `when`, links that were made before it and are in no run's
 * executable, and what is then used by nothing. Sets `*runs` to the number of runs. Leaves the rest
 * for the next time once `*stop` is not 0. */
int store_expire(struct store *store, double when, const volatile sig_atomic_t *stop, size_t *runs);

/* One allocation of Slurm's. A job that was requeued has several, and so has one whose size was
 * changed. Columns are those of slurm_job (tables.sql) but restart_count. */
#define SLURM_KNOWN_COLUMNS(COLUMN)                                                                \
    COLUMN(job_id_raw, INT)                                                                        \
    COLUMN(submit_time, INT)                                                                       \
    COLUMN(user, TEXT)                                                                             \
    COLUMN(account, TEXT)                                                                          \
    COLUMN(partition, TEXT)                                                                        \
    COLUMN(state, TEXT)                                                                            \
    COLUMN(end_time, REAL)                                                                         \
    COLUMN(core_seconds, REAL)
#define SLURM_OTHER_COLUMNS(COLUMN)                                                                \
    COLUMN(cluster, TEXT)                                                                          \
    COLUMN(array_job_id, INT)                                                                      \
    COLUMN(array_task_id, INT)                                                                     \
    COLUMN(het_job_id, INT)                                                                        \
    COLUMN(het_offset, INT)                                                                        \
    COLUMN(start_time, REAL)                                                                       \
    COLUMN(alloc_cpus, INT)                                                                        \
    COLUMN(nodes, INT)                                                                             \
    COLUMN(suspended, REAL)                                                                        \
    COLUMN(asked_time, REAL)

#define SLURM_COLUMN(name, kind) SLURM_##name,
enum slurm_column {
    SLURM_KNOWN_COLUMNS(SLURM_COLUMN) SLURM_OTHER_COLUMNS(SLURM_COLUMN) SLURM_COLUMNS
};
#undef SLURM_COLUMN

struct slurm_job {
    char *text; /* owned by whoever puts it: what the texts are in, with a NUL behind each */
    struct value column[SLURM_COLUMNS];
};

struct slurm_answer {
    struct slurm_job *jobs; /* put in order by store_put_slurm_jobs() */
    size_t count;
    const char *cluster; /* whose jobs were asked for; "" for those of the default one. NULL:
                            nothing was asked for up to a time */
    double until;        /* all of that cluster up to then have been put by now */
};
struct slurm_counts {
    size_t fresh, updated, unchanged;
};

/* Puts the jobs in one transaction; a job that is there takes the new values. Adds to `*counts`. */
int store_put_slurm_jobs(struct store *store, const struct slurm_answer *answer,
                         struct slurm_counts *counts);

/* Whose jobs are to be asked for: the clusters that proven coverage records are from, else the
 * default one, "". Of each a word "UNTIL FIRST IS_KNOWN JOB,... CLUSTER", with a NUL behind it and
 * a further one at the end, into `*words`, which is to be released by free(): up to when they have
 * been asked for, and when its first proven coverage began (s since the Epoch; 0: never); 1 where
 * the store has jobs of it, else 0; and 500 jobs at the most that went on, those first that were
 * not asked for for the longest time. */
int store_slurm_clusters(struct store *store, char **words);

/* A cluster of this store_put()'s records, or of one before, that is left out there, since there
 * are 64; "": none. Takes NULL. */
const char *store_slurm_left_out(const struct store *store);

/* The map replaces the one that the store has, and the modules of everything in the store are found
 * anew if it differs. Sets `*changed` to the number of paths whose module did. */
int store_set_modules(struct store *store, const struct module_map *map, size_t *changed);

/* Replaces the list of accounts: rows of account, field of science and directorate. */
int store_set_accounts(struct store *store, const struct value *rows, size_t count);

/* Valid until the next call; never NULL. Takes NULL. */
const char *store_error(const struct store *store);

/* Takes NULL. */
void store_close(struct store *store);
