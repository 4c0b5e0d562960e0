/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the store share.
 */
#ifndef JOBTRAIL_STORE_INSIDE_H
#define JOBTRAIL_STORE_INSIDE_H

#include "hash.h"
#include "store.h"

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
    TABLES
};

/* Sets and their members. */
enum set { SET_OBJECTS, SET_ENVIRONMENT, SET_FUNCTIONS, SETS };

struct store {
    const struct database_ops *ops;
    struct database *database;
    bool dry_run;
    int64_t generation;       /* of the ids in `known`; 0: none */
    struct id_cache known;    /* by digests of rows and of records' parts */
    struct id_cache prefixes; /* of modules */

    struct statement *find[TABLES], *add[TABLES], *add_member[SETS];
    struct statement *get_generation;
    struct statement *find_runs, *add_run, *update_run;
    struct statement *find_link, *add_link;
    struct statement *find_run_package, *add_run_package;
    struct statement *find_coverage, *add_coverage;
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

/* The id of the row of `table` that the `texts` identify, which is added when it is new, with
 * `rest` as its columns after identity (or hash). */
int store_intern(struct store *store, enum table table, const char *const *texts,
                 size_t texts_count, const struct value *rest, size_t rest_count, int64_t *id);

/* The ids of a record's parts; 0 for none. */
int store_libs(struct store *store, struct record_part *part, const char *syshost, int64_t *id);
int store_environment(struct store *store, struct record_part *part, int64_t *id);
int store_ancestors(struct store *store, struct record_part *part, int64_t *id);
int store_build(struct store *store, struct record_part *part, int64_t *id);
int store_functions(struct store *store, struct record_part *part, int64_t *id);
int store_executable(struct store *store, const char *path, const char *hash, int64_t *id);

/* The module that the path belongs to; 0 for none. */
int64_t store_module_of(const struct store *store, const char *path);

/* What loaders remember is no longer valid, once this transaction is committed. */
int store_new_generation(struct store *store);

/* Reads the modules' prefixes anew. */
int store_read_modules(struct store *store);

/* The value of a record's field, for a statement. */
struct value store_value(const struct record_field *field, const void *values);

int store_put_runs(struct store *store, struct record *records, size_t count,
                   enum store_result *results);
int store_put_link(struct store *store, struct record *record, enum store_result *result);
int store_put_package(struct store *store, const struct record *record, enum store_result *result);

int store_put_coverage(struct store *store, const struct record *record, enum store_result *result);

int store_prepare_intern(struct store *store);
int store_prepare_runs(struct store *store);
int store_prepare_links(struct store *store);
int store_prepare_coverage(struct store *store);

#endif
