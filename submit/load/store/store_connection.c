/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_connection.h"

#include <errno.h>
#include <stdlib.h>

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

int store_text_open(struct store_connection *on, struct store_text *text)
{
    text->text = NULL;
    text->file = open_memstream(&text->text, &text->size);
    return text->file == NULL ? store_refuse(on, -ENOMEM, "out of memory") : 0;
}

struct statement *store_text_statement(struct store_connection *on, struct store_text *text,
                                       int *error)
{
    struct statement *statement = NULL;
    if (fclose(text->file) == 0)
        statement = store_statement(on, text->text, error);
    else
        *error = store_refuse(on, -ENOMEM, "out of memory");
    free(text->text);
    return statement;
}

int store_has_row(struct store_connection *on, struct statement *statement,
                  const struct value *parameters)
{
    struct value row[1];
    bool found = false;
    int more, error = store_select(on, statement, parameters);
    if (error != 0)
        return error;
    while ((more = store_next(on, statement, row, 1)) > 0)
        found = true;
    return more < 0 ? more : found;
}

int store_checked(struct store_connection *on, int error)
{
    return error == 0 ? 0 : store_refuse(on, error, "this host's crypto policy has no SHA-1");
}

int store_digest_texts(struct store_connection *on, const char *const *texts, size_t count,
                       struct digest *digest)
{
    return store_checked(on, digest_texts(texts, count, digest));
}
