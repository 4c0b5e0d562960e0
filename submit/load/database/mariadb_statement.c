/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Statements: rows that are asked for, and many rows to write in one message, by array binding.
 */
#include "submit/load/database/mariadb_inside.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_BYTES    (RESULT_TEXT_MAX + 1)
#define RESULT_TEXT_MAX 65535u
#define BULK_BYTES      (4u << 20) /* of one message to the server, about */

static const enum enum_field_types type_of[] = {
    [VALUE_NULL] = MYSQL_TYPE_STRING, [VALUE_INT] = MYSQL_TYPE_LONGLONG,
    [VALUE_REAL] = MYSQL_TYPE_DOUBLE, [VALUE_TEXT] = MYSQL_TYPE_STRING,
    [VALUE_BYTES] = MYSQL_TYPE_BLOB,
};

static bool is_string(const struct value *value)
{
    return value->kind == VALUE_TEXT || value->kind == VALUE_BYTES;
}

static int make_ready(struct database *database, struct statement *statement)
{
    if (database->connection == NULL)
        return maria_refuse(database, -EAGAIN, "the connection broke");
    if (statement->prepared != NULL)
        return 0;
    MYSQL_STMT *prepared = mysql_stmt_init(database->connection);
    if (prepared == NULL)
        return maria_refuse(database, -ENOMEM, "out of memory");
    if (mysql_stmt_prepare(prepared, statement->sql, strlen(statement->sql)) != 0) {
        int error = maria_statement_trouble(database, prepared);
        mysql_stmt_close(prepared);
        return error;
    }
    statement->prepared = prepared;
    return mysql_stmt_param_count(prepared) <= MARIA_COLUMNS_MAX
               ? 0
               : maria_refuse(database, -EIO, "a statement has too many parameters");
}

static int bind_results(struct database *database, struct statement *statement)
{
    unsigned columns = mysql_stmt_field_count(statement->prepared);
    if (statement->results == NULL) {
        statement->results = calloc(columns, sizeof *statement->results);
        statement->columns = columns;
        for (unsigned i = 0; statement->results != NULL && i < columns; i++) {
            MYSQL_BIND *bind = &statement->results[i];
            bind->buffer_type = MYSQL_TYPE_STRING;
            bind->buffer_length = RESULT_BYTES;
            bind->buffer = malloc(RESULT_BYTES);
            bind->length = &bind->length_value;
            bind->is_null = &bind->is_null_value;
            if (bind->buffer == NULL)
                return maria_refuse(database, -ENOMEM, "out of memory");
        }
    }
    if (statement->results == NULL)
        return maria_refuse(database, -ENOMEM, "out of memory");
    return mysql_stmt_bind_result(statement->prepared, statement->results) == 0
               ? 0
               : maria_statement_trouble(database, statement->prepared);
}

/* With one row of values. */
static int execute(struct database *database, MYSQL_STMT *prepared, const struct value *values)
{
    MYSQL_BIND binds[MARIA_COLUMNS_MAX] = {0};
    const size_t columns = mysql_stmt_param_count(prepared);
    const unsigned no_array = 0;
    for (size_t i = 0; i < columns; i++) {
        const struct value *value = &values[i];
        binds[i].buffer_type = value->kind == VALUE_NULL ? MYSQL_TYPE_NULL : type_of[value->kind];
        binds[i].buffer =
            is_string(value) ? (void *)(uintptr_t)value->text : (void *)(uintptr_t)&value->whole;
        binds[i].length_value = is_string(value) ? (unsigned long)value->size : 0;
        binds[i].length = &binds[i].length_value;
    }
    bool is_done =
        columns == 0 || (mysql_stmt_attr_set(prepared, STMT_ATTR_ARRAY_SIZE, &no_array) == 0 &&
                         mysql_stmt_bind_param(prepared, binds) == 0);
    return is_done && mysql_stmt_execute(prepared) == 0
               ? 0
               : maria_statement_trouble(database, prepared);
}

int maria_select(struct database *database, struct statement *statement,
                 const struct value *parameters)
{
    int error = make_ready(database, statement);
    if (error != 0)
        return error;
    MYSQL_STMT *prepared = statement->prepared;
    mysql_stmt_free_result(prepared);
    error = execute(database, prepared, parameters);
    if (error != 0)
        return error;
    error = bind_results(database, statement);
    if (error == 0 && mysql_stmt_store_result(prepared) != 0)
        error = maria_statement_trouble(database, prepared);
    return error;
}

/* Everything comes as text. */
static struct value result_value(const MYSQL_BIND *bind)
{
    struct value value = {.kind = VALUE_NULL};
    if (bind->is_null_value)
        return value;
    size_t size = bind->length_value < RESULT_TEXT_MAX ? bind->length_value : RESULT_TEXT_MAX;
    ((char *)bind->buffer)[size] = '\0';
    value.kind = VALUE_TEXT;
    value.text = bind->buffer;
    value.size = size;
    return value;
}

int maria_next(struct database *database, struct statement *statement, struct value *row,
               size_t columns)
{
    int code = mysql_stmt_fetch(statement->prepared);
    if (code == MYSQL_NO_DATA) {
        mysql_stmt_free_result(statement->prepared);
        return 0;
    }
    if (code != 0 && code != MYSQL_DATA_TRUNCATED)
        return maria_statement_trouble(database, statement->prepared);
    for (size_t i = 0; i < columns && i < statement->columns; i++)
        row[i] = result_value(&statement->results[i]);
    return 1;
}

static const size_t width_of[] = {
    [VALUE_NULL] = sizeof(char *), [VALUE_INT] = sizeof(long long), [VALUE_REAL] = sizeof(double),
    [VALUE_TEXT] = sizeof(char *), [VALUE_BYTES] = sizeof(char *),
};

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
        if (is_string(value))
            bind->length[i] = (unsigned long)value->size;
    }
}

static int bind_column(MYSQL_BIND *bind, const struct value *rows, size_t count, size_t columns,
                       size_t at)
{
    enum value_kind kind = kind_of_column(rows, count, columns, at);
    bind->buffer_type = type_of[kind];
    bind->buffer = calloc(count, width_of[kind]);
    bind->length = calloc(count, sizeof *bind->length);
    bind->u.indicator = calloc(count, 1);
    if (bind->buffer == NULL || bind->length == NULL || bind->u.indicator == NULL)
        return -ENOMEM;
    fill_column(bind, kind, rows + at, count, columns);
    return 0;
}

static int write_bulk(struct database *database, struct statement *statement,
                      const struct value *rows, size_t count, size_t columns)
{
    MYSQL_BIND binds[MARIA_COLUMNS_MAX] = {0};
    int error = 0;
    for (size_t i = 0; error == 0 && i < columns; i++)
        error = bind_column(&binds[i], rows, count, columns, i);
    unsigned size = (unsigned)count;
    MYSQL_STMT *prepared = statement->prepared;
    if (error != 0)
        maria_refuse(database, error, "out of memory");
    else if (mysql_stmt_attr_set(prepared, STMT_ATTR_ARRAY_SIZE, &size) != 0 ||
             mysql_stmt_bind_param(prepared, binds) != 0 || mysql_stmt_execute(prepared) != 0)
        error = maria_statement_trouble(database, prepared);
    for (size_t i = 0; i < columns; i++) {
        free(binds[i].buffer);
        free(binds[i].length);
        free(binds[i].u.indicator);
    }
    return error;
}

static size_t row_bytes(const struct value *row, size_t columns)
{
    size_t bytes = 16 * columns;
    for (size_t i = 0; i < columns; i++)
        if (is_string(&row[i]))
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
    int error = make_ready(database, statement);
    while (error == 0 && count > 0) {
        size_t columns = mysql_stmt_param_count(statement->prepared);
        if (columns == 0)
            return execute(database, statement->prepared, rows);
        size_t fitting = fitting_rows(database, rows, count, columns);
        if (fitting == 0)
            return maria_refuse(database, -EBADMSG,
                                "is larger than the database's max_allowed_packet");
        error = fitting == 1 ? execute(database, statement->prepared, rows)
                             : write_bulk(database, statement, rows, fitting, columns);
        rows += fitting * columns;
        count -= fitting;
    }
    return error;
}
