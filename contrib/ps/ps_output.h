/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of running programs as sacct(1) prints rows: columns, or fields between bars, or JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/ps/ps_jobs.h"
#include "contrib/ps/running.h"

enum { PS_COLUMNS_MAX = 32 };

enum ps_form { PS_TABLE, PS_BARS, PS_BARS_AT_END, PS_JSON };

struct ps_row {
    const struct ps_job *job;
    const struct running *run;
    const char *node;
    uint64_t now_ns; /* since the Epoch */
};

struct ps_field;

struct ps_column {
    const struct ps_field *field;
    int width; /* negative: to the left */
};

struct ps_columns {
    struct ps_column column[PS_COLUMNS_MAX];
    size_t count;
};

#define PS_DEFAULT_FORMAT "JobID,User,Exec,Node,PID,Rank,NTasks,Start,Elapsed"

/* Reads FIELD[%[-]WIDTH],...; a field may be named by how its name begins. Returns whether that is
 * sound; otherwise stderr tells. */
bool ps_columns_read(const char *format, struct ps_columns *columns);

/* The names of all fields, as `sacct --helpformat` has them. */
void ps_fields_print(void);

/* Prints what comes before the rows, a row, and what comes after them. */
void ps_print_head(enum ps_form form, const struct ps_columns *columns, bool has_names);
void ps_print_row(enum ps_form form, const struct ps_columns *columns, const struct ps_row *row,
                  bool is_first);
void ps_print_end(enum ps_form form);
