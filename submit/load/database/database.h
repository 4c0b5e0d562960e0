/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A database as the store needs it: prepared statements with `?`, rows of values. What differs
 * between SQLite and MariaDB is in one file for each and in the SQL under sql/.
 *
 * Calls return 0 or -errno, and after a failure error() says in words what is wrong:
 *   -EAGAIN   the transaction is lost, begin it again: another writer was in the way, or the
 *             connection broke, which the next begin() opens again
 *   -EBADMSG  the database takes no such value
 *   -EIO      anything else
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/hash.h"
#include "submit/load/database/schema.h"

enum value_kind { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_BYTES };

struct value {
    enum value_kind kind;
    union {
        int64_t whole;
        double real;
        struct {
            const char *text; /* not owned; UTF-8, or bytes */
            size_t size;
        };
    };
};

/* TEXT is NUL-terminated; NULL becomes VALUE_NULL. */
struct value value_text(const char *text);
struct value value_bytes(const void *bytes, size_t size);
struct value value_int(int64_t whole);
struct value value_id(int64_t id); /* 0 becomes VALUE_NULL */

/* Of a number, or of the text that spells one. */
int64_t value_whole(const struct value *value);
double value_number(const struct value *value);

#define VALUE_DIGEST_MAX 32 /* values */

/* What a row that is stored once is known by: the sha1 of its values, with a NUL byte between two.
 * Whole numbers are written in decimal digits, others as "r" and the eight bytes of the double,
 * little end first; for NULL stands a byte that is in no text. */
void digest_values(const struct value *values, size_t count, struct digest *digest);

/* For NULL stands the empty text. */
void digest_texts(const char *const *texts, size_t count, struct digest *digest);

/* Copies a message of a database, cut to `size` bytes with the NUL. It quotes what users wrote and
 * goes to terminals and logs: all bytes except for printable ASCII become \xHH, and a backslash
 * becomes two. */
void database_message(char *to, size_t size, const char *said);

struct database;  /* each kind defines its own */
struct statement; /* owned by its database */

struct database_ops {
    const char *scheme; /* "sqlite" in sqlite:FILE */
    enum schema_dialect dialect;
    /* Stands between an INSERT and `COLUMN = COLUMN`, so that a row that another loader has just
     * added is left as it is. NULL where no other loader can have added one. */
    const char *or_keep;
    const char *share_lock; /* ends a SELECT whose row nobody is to change until the commit */

    /* Opens the database at `location` (the address without its scheme). With `dry_run` nothing on
     * disk is made or changed, and commit() does nothing. Always sets `*database`, to NULL only
     * when out of memory; close it after a failure too. */
    int (*open)(const char *location, bool dry_run, struct database **database);

    /* The version of the tables; 0 when there are none yet. */
    int (*version)(struct database *database, int *version);
    int (*set_version)(struct database *database, int version);

    /* Lets nobody else change the tables until unlock_schema(), which may also be called without
     * the lock; ends a transaction. NULL where a transaction does. Returns -EAGAIN while another
     * does. */
    int (*lock_schema)(struct database *database);
    void (*unlock_schema)(struct database *database);

    /* Runs several statements that make tables or change them. They may be in no transaction, and
     * end the one that was begun: MariaDB commits each. */
    int (*change_schema)(struct database *database, const char *sql);

    /* The statement is prepared when it is used first. `sql` is copied. NULL when out of memory. */
    struct statement *(*statement)(struct database *database, const char *sql);

    /* Runs the statement once for each of `count` rows of values, one row after the other. */
    int (*write)(struct database *database, struct statement *statement, const struct value *rows,
                 size_t count);

    /* Begins a query, whose rows next() returns: 1 with a row of `columns` values, which are valid
     * until the next call; 0 at the end; or -errno. A query that is left early is reset by its next
     * use. */
    int (*select)(struct database *database, struct statement *statement,
                  const struct value *parameters);
    int (*next)(struct database *database, struct statement *statement, struct value *row,
                size_t columns);

    int (*begin)(struct database *database);

    /* Returns 0 only when what was written since begin() will survive a power loss. */
    int (*commit)(struct database *database);
    void (*rollback)(struct database *database);

    /* Valid until the next call; never NULL. */
    const char *(*error)(const struct database *database);

    /* Drops what was not committed. Takes NULL. */
    void (*close)(struct database *database);
};

extern const struct database_ops database_sqlite, database_mariadb;
