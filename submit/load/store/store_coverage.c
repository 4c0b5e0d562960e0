/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_state.h"

/* The columns of values, with where these stand. */
static const struct {
    const char *table, *key, *form, *column;
} columns[] = {
#define COVERAGE_KEY(table, key, form, from, rows, column) {table, #key, #form, #column},
#include "submit/definition/keys.def"
};

enum { KEYS = sizeof columns / sizeof columns[0], COLUMNS = KEYS + 3 };

int store_prepare_coverage(struct store_coverage *rows, struct store_connection *on)
{
    struct store_text add = {0};
    int error = 0;
    rows->on = on;
    store_text_add(&add, "INSERT INTO coverage (owner, proven, position");
    for (size_t i = 0; i < KEYS; i++)
        store_text_add(&add, ", `%s`", columns[i].column);
    store_text_add(&add, ") VALUES (");
    store_text_add_places(&add, COLUMNS);
    store_text_add(&add, ")");
    rows->add = store_text_statement(on, &add, &error);
    rows->owners = store_owners_statement(on, "coverage", "uuid", &error);
    rows->drop = store_statement(on, "DELETE FROM coverage WHERE uuid = ? AND owner = ?", &error);
    return error;
}

/* JSON may write a number that is not whole by nature without a point: 3. Rows that are written
 * together have one type for each column in MariaDB. */
static struct value of_form(struct value value, const char *form)
{
    if (value.kind == VALUE_INT && strncmp(form, "REAL", 4) == 0)
        return (struct value){.kind = VALUE_REAL, .real = (double)value.whole};
    return value;
}

static struct value json_value(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_int:
    case json_type_boolean:
        return value_int(json_object_get_int64(value));
    case json_type_double:
        return (struct value){.kind = VALUE_REAL, .real = json_object_get_double(value)};
    case json_type_string:
        return value_text(json_object_get_string(value));
    default:
        return (struct value){.kind = VALUE_NULL};
    }
}

static int64_t owner_of(const struct coverage_record *coverage)
{
    static const char *const keys[] = {"user", "uid", "job_id", "restart_count", "cluster"};
    struct value values[OWNER_VALUES];
    for (size_t i = 0; i < OWNER_VALUES; i++)
        values[i] = json_value(json_object_object_get(coverage->job, keys[i]));
    return record_owner_of_values(values);
}

static void fill_fact(struct value *row, const struct record *record, int64_t owner,
                      size_t position)
{
    const struct coverage_record *coverage = &record->coverage;
    struct json_object *fact = json_object_array_get_idx(coverage->facts, position);
    *row++ = value_int(owner);
    *row++ = value_int(!record->unproven);
    *row++ = value_int((int64_t)position);
    for (size_t i = 0; i < KEYS; i++) {
        bool is_of_job = strcmp(columns[i].table, "coverageT") == 0;
        struct json_object *from = is_of_job ? coverage->job : fact;
        *row++ = of_form(json_value(json_object_object_get(from, columns[i].key)), columns[i].form);
    }
}

static int add_facts(struct store_coverage *rows, const struct record *record, int64_t owner)
{
    size_t count = json_object_array_length(record->coverage.facts);
    CLEANUP_FREE struct value *facts = calloc(count + 1, COLUMNS * sizeof *facts);
    if (facts == NULL)
        return store_refuse(rows->on, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        fill_fact(facts + i * COLUMNS, record, owner, i);
    return count == 0 ? 0 : store_write(rows->on, rows->add, facts, count);
}

static int choose_coverage(struct store_coverage *rows, const struct record *record, int64_t owner,
                           enum store_result *result)
{
    const char *uuid = record->coverage.uuid;
    struct owner_row row;
    int error = store_find_owner(rows->on, rows->owners, uuid, owner, &row);
    if (error == 0 && !row.found)
        return store_look_at_owners(rows->on, rows->owners, uuid, record->unproven, result);
    *result = record->unproven || row.is_proven ? STORE_UNCHANGED : STORE_UPDATED;
    return error;
}

int store_put_coverage(struct store_coverage *rows, const struct record *record,
                       enum store_result *result)
{
    const int64_t owner = owner_of(&record->coverage);
    int error = choose_coverage(rows, record, owner, result);
    if (error != 0 || *result == STORE_UNCHANGED || *result == STORE_CROWDED)
        return error;
    const struct value key[] = {value_text(record->coverage.uuid), value_int(owner)};
    if (*result == STORE_UPDATED) {
        rows->on->replaces = true;
        error = store_write(rows->on, rows->drop, key, 1);
    }
    return error == 0 ? add_facts(rows, record, owner) : error;
}
