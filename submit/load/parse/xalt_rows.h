/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of the tables that XALT's createDB.py makes, to the text of XALT's records, from which
 * XALT's loaders have made them. So history takes the way of all records (load_record.h).
 *
 * What a row has no more of stays out of the record: the process's ancestors, what the program was
 * asked to record, the watermark but for what its link's row says. XALT has cut texts at the widths
 * of its columns, and lists of words at 2048 characters.
 *
 * The tables are those of XALT 2.0 to 3.2. Of the columns below `num_gpus` came with 2.2 and
 * `container` with 2.9.7.
 */
#ifndef JOBTRAIL_XALT_ROWS_H
#define JOBTRAIL_XALT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "submit/definition/record_keys.h"
#include "submit/load/database/database.h"
#include "submit/load/parse/json_text.h"

enum xalt_form {
    XALT_TEXT,
    XALT_NUMBER,
    XALT_SPELT, /* a number, which the record has as a string */
    XALT_START, /* seconds since the Epoch, rounded; see xalt_start() */
    XALT_END,   /* of a run; where it cannot be, start and elapsed time, or nothing */
    XALT_SPAN,  /* elapsed time; where it cannot be, from start to end, or nothing */
    XALT_WORDS, /* a JSON array that may be cut short, or words with blanks between */
};

/* A column and its key in the record. */
struct xalt_column {
    const char *of;     /* the table's name in the query: r, l, p */
    const char *column; /* of it */
    const char *sql;    /* what is asked for; NULL: the column */
    const char *table;  /* of the record; "" for a key at its top */
    const char *key;
    enum xalt_form form;
    bool is_optional; /* not every version of XALT has it */
};

/* Rows of one table, in the order of their number. Each query's first two columns are the number
 * and the date, YYYY-MM-DD HH:MM:SS of the time zone of XALT's loader, or NULL. */
enum { XALT_ROW_ID, XALT_ROW_DATE, XALT_ROW_REST };
#define XALT_COLUMNS_MAX 32

struct xalt_table {
    enum record_kind kind;
    const char *name, *id;
    const char *uuid; /* an expression that says whose row it is */
    const char *date; /* an expression; "NULL" */
    const char *from; /* of the query, with the tables as r, l, p */
    const struct xalt_column *columns;
    size_t count;
};

/* A list that a row has in another table; its query gives the row's number, the member's number,
 * and its one or two texts. */
enum xalt_list_form { XALT_PAIRS, XALT_MEMBERS, XALT_NAMES };
struct xalt_list {
    enum record_kind kind;
    const char *key;
    const char *table; /* the other table, j in the query */
    const char *id;    /* of the row, in it */
    const char *join;  /* what it is joined with */
    const char *first, *second;
    enum xalt_list_form form;
};

extern const struct xalt_table xalt_tables[]; /* links, runs, packages */
extern const struct xalt_list xalt_lists[];
enum { XALT_TABLES = 3, XALT_LISTS = 4 };

/* Begins a record with the values of a row; xalt_list_begin(), _add() and _end() add lists to it,
 * and xalt_record_end() ends it. */
void xalt_record_begin(struct json_text *json, const struct xalt_table *table,
                       const struct value *row);
void xalt_list_begin(struct json_text *json, const struct xalt_list *list);
void xalt_list_add(struct json_text *json, const struct xalt_list *list, bool is_first,
                   const struct value texts[2]);
void xalt_list_end(struct json_text *json, const struct xalt_list *list);
void xalt_record_end(struct json_text *json);

/* XALT rounds a start to whole seconds after it has made the date of it. Where the date is that of
 * the second before, the run began in the half second before `start`: returns the time in the
 * middle of that second; else `start`. */
double xalt_start(double start, const struct value *date);

/* Whether XALT's date is on another day than that of `when` here: its loader's time zone was
 * another. */
bool xalt_is_other_day(double when, const struct value *date);

#endif
