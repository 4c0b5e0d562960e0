/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of logs, counted by library, and by weekday or month.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum use_by { USE_BY_WEEKDAY, USE_BY_MONTH };

enum { USE_COLUMNS_MAX = 12 };

struct use_row {
    char *library; /* owned */
    uint64_t count[USE_COLUMNS_MAX];
    bool is_partial; /* lines may be missing */
    bool is_short;   /* the name is, at the end */
};

struct use_table {
    enum use_by by;
    int first_month; /* 1 to 12, of the first column */
    struct use_row *row;
    size_t rows;
    int32_t day; /* the last one that was counted, and its column; -1: none */
    int column;
};

void use_table_begin(struct use_table *table, enum use_by by, int first_month);

/* The index of the library's row, which is made where there is none. Returns it or -ENOMEM. */
int64_t use_table_row(struct use_table *table, const char *library);

/* Counts a line of a day since 1970-01-01. */
void use_table_add(struct use_table *table, int64_t row, int32_t day);

/* Leaves out the partial rows, shortens names (library_log_short()) where they stay different from
 * all others, and sorts by name, as bytes. No index of a row is valid after it. */
void use_table_finish(struct use_table *table);

size_t use_table_columns(const struct use_table *table);

/* "Sun", "Jan" */
const char *use_table_head(const struct use_table *table, size_t column);

uint64_t use_row_sum(const struct use_row *row);
uint64_t use_column_sum(const struct use_table *table, size_t column);
uint64_t use_table_sum(const struct use_table *table);

void use_table_free(struct use_table *table);
