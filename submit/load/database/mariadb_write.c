/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many rows in one message: array binding.
 */
#include "submit/load/database/mariadb_inside.h"

#include <errno.h>
#include <stdlib.h>

#define BULK_BYTES (4u << 20) /* of one message to the server, about */

static const size_t width_of[] = {
    [VALUE_NULL] = sizeof(char *), [VALUE_INT] = sizeof(long long), [VALUE_REAL] = sizeof(double),
    [VALUE_TEXT] = sizeof(char *), [VALUE_BYTES] = sizeof(char *),
};

const enum enum_field_types maria_type_of[] = {
    [VALUE_NULL] = MYSQL_TYPE_STRING, [VALUE_INT] = MYSQL_TYPE_LONGLONG,
    [VALUE_REAL] = MYSQL_TYPE_DOUBLE, [VALUE_TEXT] = MYSQL_TYPE_STRING,
    [VALUE_BYTES] = MYSQL_TYPE_BLOB,
};

bool maria_is_string(const struct value *value)
{
    return value->kind == VALUE_TEXT || value->kind == VALUE_BYTES;
}

/* A column has one kind of value, apart from NULL. */
static enum value_kind kind_of_column(const struct value *rows, size_t count, size_t columns,
                                      size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i * columns + at].kind != VALUE_NULL)
            return rows[i * columns + at].kind;
    return VALUE_NULL;
}

static void fill_column(MYSQL_BIND *bind, enum value_kind kind, const struct value *values,
                        size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++) {
        const struct value *value = &values[i * columns];
        bind->u.indicator[i] =
            value->kind == VALUE_NULL ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
        if (value->kind == VALUE_NULL)
            continue;
        if (kind == VALUE_INT)
            ((long long *)bind->buffer)[i] = value->whole;
        else if (kind == VALUE_REAL)
            ((double *)bind->buffer)[i] = value->real;
        else
            ((const char **)bind->buffer)[i] = value->text;
        if (maria_is_string(value))
            bind->length[i] = (unsigned long)value->size;
    }
}

static int bind_column(MYSQL_BIND *bind, const struct value *rows, size_t count, size_t columns,
                       size_t at)
{
    enum value_kind kind = kind_of_column(rows, count, columns, at);
    bind->buffer_type = maria_type_of[kind];
    bind->buffer = calloc(count, width_of[kind]);
    bind->length = calloc(count, sizeof *bind->length);
    bind->u.indicator = calloc(count, 1);
    if (bind->buffer == NULL || bind->length == NULL || bind->u.indicator == NULL)
        return -ENOMEM;
    fill_column(bind, kind, rows + at, count, columns);
    return 0;
}

static void free_binds(MYSQL_BIND *binds, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        free(binds[i].buffer);
        free(binds[i].length);
        free(binds[i].u.indicator);
    }
}

static int execute_bulk(struct database *database, MYSQL_STMT *prepared, MYSQL_BIND *binds,
                        unsigned count)
{
    if (mysql_stmt_attr_set(prepared, STMT_ATTR_ARRAY_SIZE, &count) != 0 ||
        mysql_stmt_bind_param(prepared, binds) != 0 || mysql_stmt_execute(prepared) != 0)
        return maria_statement_trouble(database, prepared);
    return 0;
}

static int write_bulk(struct database *database, struct statement *statement,
                      const struct value *rows, size_t count, size_t columns)
{
    MYSQL_BIND binds[MARIA_COLUMNS_MAX] = {0};
    int error = 0;
    for (size_t i = 0; error == 0 && i < columns; i++)
        error = bind_column(&binds[i], rows, count, columns, i);
    if (error == 0)
        error = execute_bulk(database, statement->prepared, binds, (unsigned)count);
    else
        maria_refuse(database, error, "out of memory");
    free_binds(binds, columns);
    return error;
}

static size_t row_bytes(const struct value *row, size_t columns)
{
    size_t bytes = 16 * columns;
    for (size_t i = 0; i < columns; i++)
        if (maria_is_string(&row[i]))
            bytes += row[i].size;
    return bytes;
}

/* How many of the rows go into one message; 0 when the first is too large for any. */
static size_t fitting_rows(const struct database *database, const struct value *rows, size_t count,
                           size_t columns)
{
    size_t limit =
        database->packet_bytes / 2 < BULK_BYTES ? database->packet_bytes / 2 : BULK_BYTES;
    size_t bytes = row_bytes(rows, columns);
    if (bytes + 1024 > database->packet_bytes)
        return 0;
    size_t fitting = 1;
    while (fitting < count) {
        bytes += row_bytes(rows + fitting * columns, columns);
        if (bytes > limit)
            break;
        fitting++;
    }
    return fitting;
}

int maria_write(struct database *database, struct statement *statement, const struct value *rows,
                size_t count)
{
    int error = maria_ready(database, statement);
    while (error == 0 && count > 0) {
        size_t columns = mysql_stmt_param_count(statement->prepared);
        if (columns == 0)
            return mysql_stmt_execute(statement->prepared) == 0
                       ? 0
                       : maria_statement_trouble(database, statement->prepared);
        size_t fitting = fitting_rows(database, rows, count, columns);
        if (fitting == 0)
            return maria_refuse(database, -EBADMSG,
                                "is larger than the database's max_allowed_packet");
        error = write_bulk(database, statement, rows, fitting, columns);
        rows += fitting * columns;
        count -= fitting;
    }
    return error;
}
