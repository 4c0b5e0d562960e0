/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows that many records share, stored once, by the digest of what they say. The rows that a batch
 * of records wants are asked for and added together: a database on another machine answers a
 * thousand questions at once as fast as one.
 */
#pragma once

#include "conf/base/hash.h"
#include "submit/load/parse/load_record.h"
#include "submit/load/store/store_connection.h"

/* Where the files of modules are: the longest prefix that a path lies in is its module. */
struct store_prefixes {
    struct store_connection *on;
    struct id_cache known; /* ids of modules, by the digests of prefixes */
    struct statement *get;
};

int store_prepare_prefixes(struct store_prefixes *prefixes, struct store_connection *on);

/* Reads the modules' prefixes anew. */
int store_read_modules(struct store_prefixes *prefixes);

/* The module that the path belongs to; 0 for none. */
int64_t store_module_of(const struct store_prefixes *prefixes, const char *path);

/* Tables whose rows are stored once, each with the texts that make its identity; behind them those
 * of the parts of extensions (store_state.h), as many for each. */
enum { RUN_PARTS_MOST = 1, PART_TABLES = 2 };
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
    TABLES_OF_CORE,
    TABLES = TABLES_OF_CORE + RUN_PARTS_MOST * PART_TABLES
};

struct shared_table {
    const char *name;    /* NULL: there is none */
    const char *key;     /* column of the digest */
    const char *columns; /* others that are no fields of a record */
    const struct record_fields *fields;
};

/* In `known`, instead of an id. */
#define STORE_WANTED     (-1) /* asked for, and not found or added yet */
#define STORE_TAKEN_BACK (-2) /* no longer asked for */

/* Rows of a table that are asked for. */
struct wants {
    size_t columns;         /* that of the digest, and the others */
    struct digest *digests; /* owned */
    struct value *rows;     /* owned: `columns` values for each digest, the first its own */
    size_t count, room;
};

struct store_intern {
    struct store_connection *on;
    const struct store_prefixes *prefixes;
    struct id_cache known; /* by digests of rows and of records' parts */
    struct wants wants[TABLES];
    struct statement *find[TABLES], *add[TABLES];
};

int store_prepare_intern(struct store_intern *intern, struct store_connection *on,
                         const struct store_prefixes *prefixes);
void store_free_intern(struct store_intern *intern);

/* Asks for the row of `table` that the digest identifies; `rest` has the values of the table's
 * other columns, whose texts must live until the table is settled. Returns 0 when it is known or
 * has been asked for, 1 when it has not, or -errno. */
int store_want(struct store_intern *intern, enum table table, const struct digest *digest,
               const struct value *rest);

/* The same of a row made of `ids` and fields of a record; of an executable. Sets `*digest`. */
int store_want_fields(struct store_intern *intern, enum table table, const int64_t *ids,
                      size_t ids_count, const void *values, struct digest *digest);
int store_want_executable(struct store_intern *intern, const char *path, const char *hash,
                          struct digest *digest);

/* Finds what is wanted of the table; adds what was not found; does both. */
int store_find_wanted(struct store_intern *intern, enum table table);
int store_add_wanted(struct store_intern *intern, enum table table);
int store_settle(struct store_intern *intern, enum table table);

/* The id of a row that was found or added; 0 when it is not there yet. */
int64_t store_id(const struct store_intern *intern, enum table table, const struct digest *digest);

/* Whether the row has an id or is asked for. */
bool store_is_known(const struct store_intern *intern, enum table table,
                    const struct digest *digest);

/* After store_find_wanted(): of the table nothing is wanted any more. Returns how many rows were
 * not found. */
size_t store_take_back(struct store_intern *intern, enum table table);

/* The table's name, where its rows have a `path` and the module of that; or NULL. */
const char *store_table_of_paths(enum table table);

/* One row, at once. */
int store_intern(struct store_intern *intern, enum table table, const char *const *texts,
                 size_t count, const struct value *rest, int64_t *id);

/* The value of a record's field, for a statement. */
struct value store_value(const struct record_field *field, const void *values);
