/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/mariadb_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_BYTES    (RESULT_TEXT_MAX + 1)
#define RESULT_TEXT_MAX 65535u

int maria_ready(struct database *database, struct statement *statement)
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

int maria_select(struct database *database, struct statement *statement,
                 const struct value *parameters)
{
    MYSQL_BIND binds[MARIA_COLUMNS_MAX] = {0};
    int error = maria_ready(database, statement);
    if (error != 0)
        return error;
    MYSQL_STMT *prepared = statement->prepared;
    size_t columns = mysql_stmt_param_count(prepared);
    mysql_stmt_free_result(prepared);
    for (size_t i = 0; i < columns; i++) {
        const struct value *value = &parameters[i];
        binds[i].buffer_type =
            value->kind == VALUE_NULL ? MYSQL_TYPE_NULL : maria_type_of[value->kind];
        binds[i].buffer = maria_is_string(value) ? (void *)(uintptr_t)value->text
                                                 : (void *)(uintptr_t)&value->whole;
        binds[i].length_value = maria_is_string(value) ? (unsigned long)value->size : 0;
        binds[i].length = &binds[i].length_value;
    }
    if ((columns > 0 && mysql_stmt_bind_param(prepared, binds) != 0) ||
        mysql_stmt_execute(prepared) != 0)
        return maria_statement_trouble(database, prepared);
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
