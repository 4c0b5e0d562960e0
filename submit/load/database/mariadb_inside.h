/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A connection to MariaDB, for the files of MariaDB alone. Calls return as database.h says.
 */
#pragma once

#include <mysql.h>

#include "submit/load/database/database.h"

#define MARIA_COLUMNS_MAX 256 /* of a statement, and parameters */

struct statement {
    char *sql;
    MYSQL_STMT *prepared; /* NULL until it is used, and after the connection broke */
    MYSQL_BIND *results;  /* of a query; NULL before the first */
    unsigned columns;
    struct statement *next;
};

struct address {
    char *text; /* owned; the rest points into it, NULL when not said */
    char *user, *host, *database;
    unsigned port;
};

struct database {
    MYSQL *connection; /* NULL when it broke */
    bool has_lock;     /* on the schema: the connection has it */
    bool has_claim;    /* the same, in a cluster */
    struct statement *statements;
    struct address address;
    bool dry_run;
    size_t packet_bytes; /* what the server takes in one message */
    char error[512];
};

/* Keeps the text for error(), and returns `error`. The other two keep what the server says of the
 * connection or of the statement, and return the error that it means. */
int maria_refuse(struct database *database, int error, const char *text);
int maria_trouble(struct database *database);
int maria_statement_trouble(struct database *database, MYSQL_STMT *prepared);

/* Fills `*address` from //[USER@][HOST[:PORT][,HOST...]]/DATABASE. */
int maria_parse_address(struct address *address, const char *location);

void maria_disconnect(struct database *database);

/* `patience` is how many seconds the server may take for an answer: hours for a change of large
 * tables, which takes as long as it takes. */
enum { MARIA_PATIENCE = 120, MARIA_SCHEMA_PATIENCE = 86400 };
int maria_reconnect(struct database *database, unsigned patience);

/* Runs several statements. */
int maria_script(struct database *database, const char *sql);

/* The number that a query has in its first row and column; 0 when there is none. */
int maria_query_number(struct database *database, const char *sql, long long *number);

/* As in database.h. */
int maria_write(struct database *database, struct statement *statement, const struct value *rows,
                size_t count);
int maria_select(struct database *database, struct statement *statement,
                 const struct value *parameters);
int maria_next(struct database *database, struct statement *statement, struct value *row,
               size_t columns);
