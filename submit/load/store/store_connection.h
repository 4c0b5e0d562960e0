/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The database of a store, and what is wrong with either. Calls return 0 or -errno as database.h
 * says, and store_error() tells the trouble.
 */
#pragma once

#include "submit/load/database/database.h"

struct store_connection {
    const struct database_ops *ops;
    struct database *database; /* owned */
    bool dry_run;
    bool replaces;   /* the transaction at hand has changed rows that were complete */
    char error[512]; /* when it is the store's own; else the database's is reported */
};

/* Says what is wrong, and returns `error`. */
int store_refuse(struct store_connection *on, int error, const char *text);

/* The calls of database.h. */
int store_select(struct store_connection *on, struct statement *statement,
                 const struct value *parameters);
int store_next(struct store_connection *on, struct statement *statement, struct value *row,
               size_t columns);
int store_write(struct store_connection *on, struct statement *statement, const struct value *rows,
                size_t count);

/* Prepares `sql`; `*error` becomes -ENOMEM when it cannot. */
struct statement *store_statement(struct store_connection *on, const char *sql, int *error);

/* Sets `whole` to the values of the query's only row, which has up to STORE_ASK_MAX. Returns 1 when
 * there is one, 0 when not, or -errno. */
#define STORE_ASK_MAX 2
int store_ask(struct store_connection *on, struct statement *statement,
              const struct value *parameters, int64_t *whole, size_t columns);

/* A statement that is put together; {0} at first. */
struct store_text {
    char text[8192];
    size_t used;
};
__attribute__((format(printf, 2, 3))) void store_text_add(struct store_text *text,
                                                          const char *format, ...);
void store_text_add_places(struct store_text *text, size_t count); /* "?, ?, ?" */
struct statement *store_text_statement(struct store_connection *on, const struct store_text *text,
                                       int *error);
