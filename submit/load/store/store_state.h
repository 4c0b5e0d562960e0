/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The inside of a store: the statements of each kind of record, and the batch at hand. For each
 * record the store asks first for what it shares with others (store_want_), and writes it
 * (store_put_) when all of that is there.
 */
#pragma once

#include "conf/base/days.h"
#include "submit/load/store/store.h"
#include "submit/load/store/store_parts.h"

struct store;

/* What extensions keep of runs in tables of their own. A part defines its row in its own folder.
 * `state` is what prepare() has made. All but has(), forget() and free() return 0 or -errno. */
struct run_part {
    const char *rows; /* the table with a row, of `run_id`, for each run that has something of it */

    const char *no_room; /* what is said behind the number of what the store has no room for */

    struct shared_table shared[PART_TABLES]; /* with what runs share of it, in this order */

    int (*prepare)(struct store_intern *intern, enum table first, void **state); /* of `shared` */
    bool (*has)(const struct run_record *run);

    /* Of a run that has something of it: asks for what it shares in the table; and again for what
     * the store does not have, where the run's user may add it. */
    int (*want)(void *state, enum table table, struct run_record *run);
    int (*admit)(void *state, enum table table, struct run_record *run, bool is_proven);

    /* Of a batch: the rows of the run of this id are to go; what they are to be; does all of it.
     * Those of runs that expire go by themselves (store_expire.c). */
    int (*replace)(void *state, int64_t id);
    int (*put)(void *state, int64_t id, const struct run_record *run);
    int (*settle)(void *state);

    void (*forget)(void *state); /* the batch */
    void (*free)(void *state);
};

/* Kinds of records that are extensions', in tables of their own, as above. */
struct kind_part {
    enum record_kind kind;
    int (*prepare)(struct store_connection *on, void **state);
    int (*put)(void *state, const struct record *record, enum store_result *result);
    void (*free)(void *state);
};

enum { KIND_PARTS_MOST = 3 };

/* Those that are built; behind the last one is NULL. */
extern const struct run_part *const run_parts[RUN_PARTS_MOST + 1];
extern const struct kind_part *const kind_parts[KIND_PARTS_MOST + 1];

extern const struct run_part run_part_routines;    /* contrib/routines/load */
extern const struct kind_part kind_part_libraries; /* contrib/libraries/load */
extern const struct kind_part kind_part_profile;   /* contrib/profile/load */
extern const struct kind_part kind_part_witness;   /* contrib/witness/load */

/* Runs, in batches: one question for many uuids, one message for many rows. */
struct store_runs {
    struct store_connection *on;
    struct store_intern *intern;
    struct store_parts *parts;
    void *of_part[RUN_PARTS_MOST]; /* what each part keeps */
    struct run_batch *batch;       /* owned: of the batch at hand */
    struct statement *find, *add, *update;
    struct statement *find_ids, *drop_days, *add_day;
    struct statement *is_ours; /* of XALT's rows */
};

int store_prepare_runs(struct store_runs *runs, struct store_parts *parts);

/* Chooses which runs are new or end, and asks for what they share. */
int store_want_runs(struct store_runs *runs, struct record *records, size_t count,
                    enum store_result *results);
int store_put_runs(struct store_runs *runs);

/* Drops the batch at hand. */
void store_free_runs(struct store_runs *runs);

void store_close_runs(struct store_runs *runs);

/* Links: unique by uuid and user, as the uuid stands in every executable that was linked. */
struct store_links {
    struct store_connection *on;
    struct store_intern *intern;
    struct store_parts *parts;
    struct statement *find, *add, *update, *count, *dispute, *clear;
};

int store_prepare_links(struct store_links *links, struct store_parts *parts);
int store_want_link(struct store_links *links, struct record *record, enum store_result *result);
int store_put_link(struct store_links *links, const struct record *record,
                   enum store_result *result);

/* Packages that runs loaded: unique by the run's uuid, the owner of the record and the package. */
struct store_packages {
    struct store_connection *on;
    struct store_intern *intern;
    struct statement *find, *add, *prove; /* of runs */
    struct statement *owners, *find_owner, *add_owner;
    struct statement *has_xalt_run;
};

int store_prepare_packages(struct store_packages *packages, struct store_intern *intern);
int store_want_package(struct store_packages *packages, const struct record *record);
int store_put_package(struct store_packages *packages, const struct record *record,
                      enum store_result *result);

/* Coverage records: a row for each fact. */
struct store_coverage {
    struct store_connection *on;
    struct statement *owners, *add, *drop;
};

int store_prepare_coverage(struct store_coverage *rows, struct store_connection *on);
int store_put_coverage(struct store_coverage *rows, const struct record *record,
                       enum store_result *result);

/* A kind of records of which each is a row, with a column for each value, unique by uuid and owner:
 * a kind_part is made of these. `values` has those of the fields: uuid, user, uid, cluster,
 * job_id_raw and restart_count are among them. */
int store_prepare_summaries(struct store_connection *on, const char *table,
                            const struct record_fields *fields, void **state);
int store_put_summary(void *state, const struct record *record, const void *values,
                      enum store_result *result);
void store_free_summaries(void *state);

/* Jobs of Slurm's accounting. */
struct store_slurm {
    struct store_connection *on;
    struct statement *find, *put, *renumber;
    struct statement *noted_before, *set_until, *clusters, *open_jobs;
    char noted[64];         /* the cluster that was noted last */
    char left_out[64];      /* the last one for which there was no place; "": none */
    struct slurm_row *rows; /* owned: of the jobs at hand */
    size_t count, room;
};

int store_prepare_slurm(struct store_slurm *slurm, struct store_connection *on);

/* The cluster's jobs will be asked for, if there is a place for it. Takes NULL. */
int store_note_cluster(struct store_slurm *slurm, const char *cluster);
void store_free_slurm(struct store_slurm *slurm);

/* Numbers of jobs that come again. */
#define STORE_AGAIN_MAX 64
struct store_again {
    struct store_connection *on;
    struct statement *replaced, *drop, *add;
    int64_t numbers[STORE_AGAIN_MAX]; /* of coverage and Slurm's accounting that has changed */
    size_t count;
};

int store_prepare_again(struct store_again *again, struct store_connection *on);
int store_note_again(struct store_again *again, int64_t number); /* it has changed */
int store_settle_again(struct store_again *again);               /* at the end of a transaction */

/* The time zone of days and dates. */
enum dated_table { DATED_RUNS, DATED_LINKS, DATED_TABLES };
struct store_zone {
    struct store_connection *on;
    struct statement *get, *set, *list[DATED_TABLES], *date[DATED_TABLES];
    bool is_used; /* store_use_zone() */
    char records[DAYS_ZONE_MAX],
        fresh[DAYS_ZONE_MAX];  /* that of the records, "" where none has said
                                * it: before the transaction, and in it */
    size_t others, all_others; /* coverage records with another: in it, and in all */
    char other[DAYS_ZONE_MAX]; /* that of the first */
};

int store_prepare_zone(struct store_zone *zone, struct store_connection *on);

/* Each attempt of a transaction with records begins with it. */
void store_begin_zone(struct store_zone *zone);

/* Of a coverage record: its days are of the zone `name`, which may be NULL. */
int store_note_zone(struct store_zone *zone, const char *name, bool is_proven);

/* After the transaction: takes the zone that the first record has said. Not while another thread
 * uses the environment or local times. */
int store_settle_zone(struct store *store);

struct store {
    struct store_connection connection;
    struct store_prefixes prefixes;
    struct store_intern intern;
    struct store_parts parts;
    struct store_runs runs;
    struct store_links links;
    struct store_packages packages;
    struct store_coverage coverage;
    void *of_kind[KIND_PARTS_MOST]; /* what each part keeps */
    struct store_slurm accounting;
    struct store_again again;
    struct store_zone zone;
    int64_t generation; /* of the ids that are known; 0: none */
    struct statement *get_generation, *add_generation, *add_replaced;
};

/* Makes the store's tables, where some are not there yet. */
int store_ensure_schema(struct store_connection *on);

/* Calls `attempt` again while it returns -EAGAIN, for a minute, as other writers may be in the way,
 * and a database may be away for a while. Returns what it returned last. */
int store_patiently(int (*attempt)(void *context), void *context);

/* Runs `work` in a transaction, as store_put() says. */
int store_transact(struct store *store, int (*work)(struct store *store, void *context),
                   void *context);

/* What loaders remember is no longer valid, once this transaction is committed. */
int store_new_generation(struct store *store);
