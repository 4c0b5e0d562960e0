/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_state.h"

struct store_summaries {
    struct store_connection *on;
    const struct record_fields *fields;
    const struct record_field *uuid, *of_owner[OWNER_VALUES]; /* of these */
    struct statement *owners, *add, *drop;
    struct value *row; /* owned: `owner` and `proven`, and a value for each field */
};

static const struct record_field *field_of(const struct record_fields *fields, const char *column)
{
    const struct record_field *field = fields->field;
    while (strcmp(field->column, column) != 0)
        field++;
    return field;
}

int store_prepare_summaries(struct store_connection *on, const char *table,
                            const struct record_fields *fields, void **state)
{
    static const char *const of_owner[] = {"user", "uid", "job_id_raw", "restart_count", "cluster"};
    struct store_text add = {0}, drop = {0};
    struct store_summaries *rows = calloc(1, sizeof *rows);
    int error = 0;
    *state = rows;
    if (rows == NULL || (rows->row = calloc(fields->count + 2, sizeof *rows->row)) == NULL)
        return store_refuse(on, -ENOMEM, "out of memory");
    rows->on = on;
    rows->fields = fields;
    rows->uuid = field_of(fields, "uuid");
    for (size_t i = 0; i < OWNER_VALUES; i++)
        rows->of_owner[i] = field_of(fields, of_owner[i]);
    store_text_add(&add, "INSERT INTO %s (owner, proven", table);
    for (size_t i = 0; i < fields->count; i++)
        store_text_add(&add, ", `%s`", fields->field[i].column);
    store_text_add(&add, ") VALUES (");
    store_text_add_places(&add, fields->count + 2);
    store_text_add(&add, ")");
    rows->add = store_text_statement(on, &add, &error);
    rows->owners = store_owners_statement(on, table, "uuid", &error);
    store_text_add(&drop, "DELETE FROM %s WHERE uuid = ? AND owner = ?", table);
    rows->drop = store_text_statement(on, &drop, &error);
    return error;
}

void store_free_summaries(void *state)
{
    struct store_summaries *rows = state;
    if (rows != NULL)
        free(rows->row);
    free(rows);
}

static int choose(struct store_summaries *rows, const char *uuid, bool unproven, int64_t owner,
                  enum store_result *result)
{
    struct owner_row row;
    int error = store_find_owner(rows->on, rows->owners, uuid, owner, &row);
    if (error == 0 && !row.found)
        return store_look_at_owners(rows->on, rows->owners, uuid, unproven, result);
    *result = unproven || row.is_proven ? STORE_UNCHANGED : STORE_UPDATED;
    return error;
}

int store_put_summary(void *state, const struct record *record, const void *values,
                      enum store_result *result)
{
    struct store_summaries *rows = state;
    const struct value uuid = store_value(rows->uuid, values);
    struct value of_owner[OWNER_VALUES];
    for (size_t i = 0; i < OWNER_VALUES; i++)
        of_owner[i] = store_value(rows->of_owner[i], values);
    const int64_t owner = record_owner_of_values(of_owner);
    int error = choose(rows, uuid.text, record->unproven, owner, result);
    if (error != 0 || *result == STORE_UNCHANGED || *result == STORE_CROWDED)
        return error;
    if (*result == STORE_UPDATED) {
        const struct value key[] = {uuid, value_int(owner)};
        rows->on->replaces = true;
        error = store_write(rows->on, rows->drop, key, 1);
    }
    rows->row[0] = value_int(owner);
    rows->row[1] = value_int(!record->unproven);
    for (size_t i = 0; i < rows->fields->count; i++)
        rows->row[i + 2] = store_value(&rows->fields->field[i], values);
    return error == 0 ? store_write(rows->on, rows->add, rows->row, 1) : error;
}
