/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/use_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/library_log.h"

static const char heads[2][USE_COLUMNS_MAX][4] = {
    {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"},
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
};

void use_table_begin(struct use_table *table, enum use_by by, int first_month)
{
    *table = (struct use_table){.by = by, .first_month = first_month, .column = -1};
}

int64_t use_table_row(struct use_table *table, const char *library)
{
    for (size_t i = 0; i < table->rows; i++)
        if (strcmp(table->row[i].library, library) == 0)
            return (int64_t)i;
    char *name = strdup(library);
    if (name == NULL || GROW(table->row, table->rows) != 0) {
        free(name);
        return -ENOMEM;
    }
    table->row[table->rows] = (struct use_row){.library = name};
    return (int64_t)table->rows++;
}

void use_table_add(struct use_table *table, int64_t row, int32_t day)
{
    if (table->column < 0 || table->day != day) {
        int year, month, weekday;
        library_date_of_day(day, &year, &month, &weekday);
        table->day = day;
        table->column =
            table->by == USE_BY_WEEKDAY ? weekday : (month - table->first_month + 12) % 12;
    }
    table->row[row].count[table->column]++;
}

static int compare(const void *one, const void *other)
{
    return strcmp(((const struct use_row *)one)->library, ((const struct use_row *)other)->library);
}

static bool has_row(const struct use_table *table, const char *library)
{
    for (size_t i = 0; i < table->rows; i++)
        if (strcmp(table->row[i].library, library) == 0)
            return true;
    return false;
}

void use_table_finish(struct use_table *table)
{
    /* All are judged by whole names before the first one is shortened. */
    for (size_t i = 0; i < table->rows; i++) {
        char *name = table->row[i].library;
        table->row[i].is_short = !has_row(table, library_log_short(name));
    }
    for (size_t i = 0; i < table->rows; i++) {
        char *name = table->row[i].library;
        if (table->row[i].is_short)
            memmove(name, library_log_short(name), strlen(library_log_short(name)) + 1);
    }
    size_t kept = 0;
    for (size_t i = 0; i < table->rows; i++) {
        if (table->row[i].is_partial)
            free(table->row[i].library);
        else
            table->row[kept++] = table->row[i];
    }
    table->rows = kept;
    if (table->rows > 0)
        qsort(table->row, table->rows, sizeof *table->row, compare);
}

size_t use_table_columns(const struct use_table *table)
{
    return table->by == USE_BY_WEEKDAY ? 7 : 12;
}

const char *use_table_head(const struct use_table *table, size_t column)
{
    return table->by == USE_BY_WEEKDAY ? heads[0][column]
                                       : heads[1][(column + (size_t)table->first_month - 1) % 12];
}

uint64_t use_row_sum(const struct use_row *row)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < USE_COLUMNS_MAX; i++)
        sum += row->count[i];
    return sum;
}

uint64_t use_column_sum(const struct use_table *table, size_t column)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < table->rows; i++)
        sum += table->row[i].count[column];
    return sum;
}

uint64_t use_table_sum(const struct use_table *table)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < table->rows; i++)
        sum += use_row_sum(&table->row[i]);
    return sum;
}

void use_table_free(struct use_table *table)
{
    for (size_t i = 0; i < table->rows; i++)
        free(table->row[i].library);
    free(table->row);
    *table = (struct use_table){0};
}
