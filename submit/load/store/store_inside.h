/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the store share.
 */
#ifndef JOBTRAIL_STORE_INSIDE_H
#define JOBTRAIL_STORE_INSIDE_H

#include <stdio.h>

#include "conf/base/hash.h"
#include "submit/load/database/value_digest.h"
#include "submit/load/parse/record_part.h"
#include "submit/load/store/store.h"

/* Tables whose rows are stored once, each with the texts that make its identity. */
enum table {
    TABLE_EXECUTABLE,
    TABLE_OBJECT,
    TABLE_OBJECT_SET,
    TABLE_ENV_NAME,
    TABLE_ENV_VALUE,
    TABLE_ENVIRONMENT,
    TABLE_ANCESTORS,
    TABLE_BUILD,
    TABLE_FUNCTION_NAME,
    TABLE_FUNCTION_SET,
    TABLE_PACKAGE,
    TABLE_MODULE,
    TABLE_PROGRAM,
    TABLE_JOB_PART,
    TABLE_LAYOUT,
    TABLE_ENDING,
    TABLES
};

#define STORE_WANTED (-1) /* in `known`: asked for, and without an id yet */

/* Rows of a table that are asked for. */
struct wants {
    size_t columns;         /* that of the digest, and the others */
    struct digest *digests; /* owned */
    struct value *rows;     /* owned: `columns` values for each digest, the first its own */
    size_t count, room;
};

/* A part of a record that the store did not know. */
struct new_part {
    enum part_kind kind;
    struct record_part *part;
    const char *scope;
    struct digest digest;       /* of its row */
    bool is_first;              /* of the parts with this digest */
    size_t at;                  /* its row among those that are wanted, when it is the first */
    struct set_member *members; /* owned: of a set that is not in the store */
    size_t count;
};

struct run_batch;

struct store {
    const struct database_ops *ops;
    struct database *database;
    bool dry_run;
    bool replaces;            /* the batch at hand: rows that were complete */
    int64_t generation;       /* of the ids in `known`; 0: none */
    struct id_cache known;    /* by digests of rows and of records' parts */
    struct id_cache prefixes; /* of modules */

    struct wants wants[TABLES];
    struct new_part *new_parts; /* owned */
    size_t new_count, new_room;
    struct run_batch *runs; /* owned: of the batch at hand */

    struct statement *find[TABLES], *add[TABLES], *add_member[PART_KINDS];
    struct statement *get_generation, *add_generation, *add_replaced;
    struct statement *find_runs, *add_run, *update_run;
    struct statement *find_link, *add_link, *update_link, *count_links, *dispute_link, *clear_link;
    struct statement *find_run_package, *add_run_package, *prove_run_package, *package_owners;
    struct statement *find_package_owner, *add_package_owner;
    struct statement *coverage_owners, *add_coverage, *drop_coverage;
    struct statement *get_prefixes;

    char error[512]; /* when it is the store's own; else the database's is told */
};

/* Runs `work` in a transaction, as store_put() says. */
int store_transaction(struct store *store, int (*work)(struct store *store, void *context),
                      void *context);

/* Says what is wrong, and returns `error`. */
int store_refuse(struct store *store, int error, const char *text);

/* Prepares `sql`; `*error` becomes -ENOMEM when it cannot. */
struct statement *store_statement(struct store *store, const char *sql, int *error);

/* 1 when the query has a row, 0 when not, or -errno. */
int store_has_row(struct store *store, struct statement *statement, const struct value *parameters);

/* Owners of a uuid, of which each may have many rows: one question for each owner. */
struct owner_row {
    bool found, is_proven;
    int64_t owner;
};

/* Prepares the question for the first owner that is not below a number. */
struct statement *store_owners_statement(struct store *store, const char *table,
                                         const char *uuid_column, int *error);

/* The owner's row of the uuid. */
int store_find_owner(struct store *store, struct statement *owners, const char *uuid, int64_t owner,
                     struct owner_row *row);

/* What a record of a uuid is, whose owner has no row: STORE_NEW, STORE_CONFLICT or STORE_CROWDED.
 */
int store_look_at_owners(struct store *store, struct statement *owners, const char *uuid,
                         bool unproven, enum store_result *result);

/* A statement that is put together. */
struct store_text {
    FILE *file;
    char *text;
    size_t size;
};
int store_text_open(struct store *store, struct store_text *text);
struct statement *store_text_statement(struct store *store, struct store_text *text, int *error);

/* Tells the store's error of making a digest, and returns it. */
int store_checked(struct store *store, int error);

/* digest_texts(), which tells the store's error. */
int store_digest_texts(struct store *store, const char *const *texts, size_t count,
                       struct digest *digest);

/* Asks for the row of `table` that the digest identifies; `rest` has the values of the table's
 * other columns, whose texts must live until the table is settled. Returns 0 when it is known or
 * has been asked for, 1 when it has not, or -errno. */
int store_want(struct store *store, enum table table, const struct digest *digest,
               const struct value *rest);

/* The same of a row that is made of `ids` and fields of a record; of an executable. Sets `*digest`.
 */
int store_want_fields(struct store *store, enum table table, const int64_t *ids, size_t ids_count,
                      const void *values, struct digest *digest);
int store_want_executable(struct store *store, const char *path, const char *hash,
                          struct digest *digest);

/* Finds what is wanted of the table; adds what was not found; does both. */
int store_find_wanted(struct store *store, enum table table);
int store_add_wanted(struct store *store, enum table table);
int store_settle(struct store *store, enum table table);

/* The id of a row that was found or added; 0 when it is not there yet. */
int64_t store_id(const struct store *store, enum table table, const struct digest *digest);

/* One row, at once. */
int store_intern(struct store *store, enum table table, const char *const *texts, size_t count,
                 const struct value *rest, int64_t *id);

void store_forget_wants(struct store *store);
void store_free_wants(struct store *store);

/* Asks for a part of a record. Parts are there after store_settle_parts(). */
int store_want_part(struct store *store, enum part_kind kind, struct record_part *part,
                    const char *scope);
int store_settle_parts(struct store *store);
void store_forget_parts(struct store *store);

/* 0 when the record has no such part. */
int store_part_id(struct store *store, const struct record_part *part, int64_t *id);

/* The module that the path belongs to; 0 for none. */
int64_t store_module_of(const struct store *store, const char *path);

/* What loaders remember is no longer valid, once this transaction is committed. */
int store_new_generation(struct store *store);

/* Reads the modules' prefixes anew. */
int store_read_modules(struct store *store);

/* The value of a record's field, for a statement. */
struct value store_value(const struct record_field *field, const void *values);

/* Chooses which runs are new or end, and asks for what they share; writes them. */
int store_want_runs(struct store *store, struct record *records, size_t count,
                    enum store_result *results);
int store_put_runs(struct store *store);
void store_free_runs(struct store *store);

/* The same of a link and a package. */
int store_want_link(struct store *store, struct record *record, enum store_result *result);
int store_put_link(struct store *store, const struct record *record, enum store_result *result);
int store_want_package(struct store *store, const struct record *record);
int store_put_package(struct store *store, const struct record *record, enum store_result *result);

int store_put_coverage(struct store *store, const struct record *record, enum store_result *result);

int store_prepare_intern(struct store *store);
int store_prepare_parts(struct store *store);
int store_prepare_runs(struct store *store);
int store_prepare_links(struct store *store);
int store_prepare_packages(struct store *store);
int store_prepare_coverage(struct store *store);

#endif
