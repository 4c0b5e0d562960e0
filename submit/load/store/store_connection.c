/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_connection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int store_refuse(struct store_connection *on, int error, const char *text)
{
    snprintf(on->error, sizeof on->error, "%s", text);
    return error;
}

int store_select(struct store_connection *on, struct statement *statement,
                 const struct value *parameters)
{
    return on->ops->select(on->database, statement, parameters);
}

int store_next(struct store_connection *on, struct statement *statement, struct value *row,
               size_t columns)
{
    return on->ops->next(on->database, statement, row, columns);
}

int store_write(struct store_connection *on, struct statement *statement, const struct value *rows,
                size_t count)
{
    return on->ops->write(on->database, statement, rows, count);
}

struct statement *store_statement(struct store_connection *on, const char *sql, int *error)
{
    struct statement *statement = on->ops->statement(on->database, sql);
    if (statement == NULL)
        *error = store_refuse(on, -ENOMEM, "out of memory");
    return statement;
}

void store_text_add(struct store_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text->used < sizeof text->text)
        text->used += (size_t)vsnprintf(text->text + text->used, sizeof text->text - text->used,
                                        format, arguments);
    va_end(arguments);
}

void store_text_add_places(struct store_text *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_text_add(text, i == 0 ? "?" : ", ?");
}

struct statement *store_text_statement(struct store_connection *on, const struct store_text *text,
                                       int *error)
{
    if (text->used < sizeof text->text)
        return store_statement(on, text->text, error);
    *error = store_refuse(on, -EINVAL, "a statement is too long");
    return NULL;
}

int store_ask(struct store_connection *on, struct statement *statement,
              const struct value *parameters, int64_t *whole, size_t columns)
{
    struct value row[STORE_ASK_MAX];
    bool found = false;
    int more, error = store_select(on, statement, parameters);
    if (error != 0)
        return error;
    for (; (more = store_next(on, statement, row, columns)) > 0; found = true)
        for (size_t i = 0; i < columns; i++)
            whole[i] = value_whole(&row[i]);
    return more < 0 ? more : found;
}
