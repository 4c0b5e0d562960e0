/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Coverage records: a row for each fact.
 */
#include "submit/load/store/record_owner.h"
#include "submit/load/store/store_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns have the names of the record's keys, but for job_id_raw, as in `run`. */
static const char *const job_keys[] = {
    "cluster",       "syshost",      "user",          "account",    "partition",
    "job_id",        "array_job_id", "array_task_id", "het_job_id", "het_offset",
    "restart_count", "node",         "dropped",
};
static const char *const fact_keys[] = {
    "step_id", "outcome",      "program",    "tasks",    "first_task",
    "leader",  "core_seconds", "start_time", "end_time",
};

enum {
    JOB_KEYS = sizeof job_keys / sizeof job_keys[0],
    FACT_KEYS = sizeof fact_keys / sizeof fact_keys[0],
    COLUMNS = 4 + JOB_KEYS + FACT_KEYS,
};

int store_prepare_coverage(struct store *store)
{
    char sql[1024];
    int error = 0;
    size_t length = (size_t)snprintf(sql, sizeof sql,
                                     "INSERT INTO coverage (uuid, owner, proven,"
                                     " position");
    for (size_t i = 0; i < JOB_KEYS; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length, ", `%s`",
                                   strcmp(job_keys[i], "job_id") == 0 ? "job_id_raw" : job_keys[i]);
    for (size_t i = 0; i < FACT_KEYS; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length, ", `%s`", fact_keys[i]);
    length += (size_t)snprintf(sql + length, sizeof sql - length, ") VALUES (?");
    for (size_t i = 1; i < COLUMNS; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length, ", ?");
    snprintf(sql + length, sizeof sql - length, ")");
    store->add_coverage = store_statement(store, sql, &error);
    store->coverage_owners = store_owners_statement(store, "coverage", "uuid", &error);
    store->drop_coverage =
        store_statement(store, "DELETE FROM coverage WHERE uuid = ? AND owner = ?", &error);
    return error;
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

static int owner_of(struct store *store, const struct coverage_record *coverage, int64_t *owner)
{
    static const char *const keys[] = {"user", "job_id", "restart_count", "cluster"};
    struct value values[4];
    for (size_t i = 0; i < 4; i++)
        values[i] = json_value(json_object_object_get(coverage->job, keys[i]));
    return store_checked(
        store, record_owner_of_values(&values[0], &values[1], &values[2], &values[3], owner));
}

static void fill_fact(struct value *row, const struct record *record, int64_t owner,
                      size_t position)
{
    const struct coverage_record *coverage = &record->coverage;
    struct json_object *fact = json_object_array_get_idx(coverage->facts, position);
    *row++ = value_text(coverage->uuid);
    *row++ = value_int(owner);
    *row++ = value_int(!record->unproven);
    *row++ = value_int((int64_t)position);
    for (size_t i = 0; i < JOB_KEYS; i++)
        *row++ = json_value(json_object_object_get(coverage->job, job_keys[i]));
    for (size_t i = 0; i < FACT_KEYS; i++)
        *row++ = json_value(json_object_object_get(fact, fact_keys[i]));
}

static int add_facts(struct store *store, const struct record *record, int64_t owner)
{
    size_t count = json_object_array_length(record->coverage.facts);
    struct value *rows = calloc(count + 1, COLUMNS * sizeof *rows);
    if (rows == NULL)
        return store_refuse(store, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        fill_fact(rows + i * COLUMNS, record, owner, i);
    int error =
        count == 0 ? 0 : store->ops->write(store->database, store->add_coverage, rows, count);
    free(rows);
    return error;
}

static int choose(struct store *store, const struct record *record, int64_t owner,
                  enum store_result *result)
{
    const char *uuid = record->coverage.uuid;
    struct owner_row row;
    int error = store_find_owner(store, store->coverage_owners, uuid, owner, &row);
    if (error == 0 && !row.found)
        return store_look_at_owners(store, store->coverage_owners, uuid, record->unproven, result);
    *result = record->unproven || row.is_proven ? STORE_UNCHANGED : STORE_UPDATED;
    return error;
}

int store_put_coverage(struct store *store, const struct record *record, enum store_result *result)
{
    int64_t owner = 0;
    int error = owner_of(store, &record->coverage, &owner);
    if (error == 0)
        error = choose(store, record, owner, result);
    if (error != 0 || *result == STORE_UNCHANGED || *result == STORE_CROWDED)
        return error;
    const struct value key[] = {value_text(record->coverage.uuid), value_int(owner)};
    if (*result == STORE_UPDATED) {
        store->replaces = true;
        error = store->ops->write(store->database, store->drop_coverage, key, 1);
    }
    return error == 0 ? add_facts(store, record, owner) : error;
}
