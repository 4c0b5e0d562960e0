/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs, in batches: one question for many uuids, one message for many rows.
 */
#include "store_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_AT_ONCE 64 /* uuids */

/* The columns of `run` that are no plain fields of a record, in the order of fill_own(). */
static const char *const other_columns[] = {"is_start_only",  "date",          "cmdline",
                                            "ancestor_pids",  "executable_id", "object_set_id",
                                            "environment_id", "ancestors_id",  "build_id"};
#define OTHER_COLUMNS (sizeof other_columns / sizeof other_columns[0])

/* Fields of a record that are stored elsewhere: in `executable`. */
static bool is_column(const struct record_field *field)
{
    return strcmp(field->column, "exec_path") != 0 && strcmp(field->column, "hash_id") != 0;
}

static size_t column_count(void)
{
    size_t count = OTHER_COLUMNS;
    for (size_t i = 0; i < run_fields.count; i++)
        count += is_column(&run_fields.field[i]);
    return count;
}

/* ---- Statements ------------------------------------------------------------------------------ */

static void write_column(FILE *sql, const char *name)
{
    fprintf(sql, "`%s`", name);
}

static void write_mark(FILE *sql, const char *name)
{
    (void)name;
    fputs("?", sql);
}

static void write_assignment(FILE *sql, const char *name)
{
    fprintf(sql, "`%s` = ?", name);
}

/* Writes each column, with commas between. */
static void list_columns(FILE *sql, void (*write)(FILE *sql, const char *name))
{
    for (size_t i = 0; i < OTHER_COLUMNS; i++) {
        fputs(i == 0 ? "" : ", ", sql);
        write(sql, other_columns[i]);
    }
    for (size_t i = 0; i < run_fields.count; i++) {
        if (!is_column(&run_fields.field[i]))
            continue;
        fputs(", ", sql);
        write(sql, run_fields.field[i].column);
    }
}

static void write_add(FILE *sql)
{
    fputs("INSERT INTO run (", sql);
    list_columns(sql, write_column);
    fputs(") VALUES (", sql);
    list_columns(sql, write_mark);
    fputs(")", sql);
}

static void write_update(FILE *sql)
{
    fputs("UPDATE run SET ", sql);
    list_columns(sql, write_assignment);
    fputs(" WHERE uuid = ?", sql);
}

static void write_find(FILE *sql)
{
    fputs("SELECT uuid, is_start_only FROM run WHERE uuid IN (?", sql);
    for (int i = 1; i < ASK_AT_ONCE; i++)
        fputs(", ?", sql);
    fputs(")", sql);
}

static struct statement *written(struct store *store, void (*write)(FILE *sql), int *error)
{
    char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    if (sql == NULL) {
        *error = store_refuse(store, -ENOMEM, "out of memory");
        return NULL;
    }
    write(sql);
    struct statement *statement = fclose(sql) == 0 ? store_statement(store, text, error) : NULL;
    free(text);
    return statement;
}

int store_prepare_runs(struct store *store)
{
    int error = 0;
    store->find_runs = written(store, write_find, &error);
    store->add_run = written(store, write_add, &error);
    store->update_run = written(store, write_update, &error);
    return error;
}

/* ---- What is known of a run -------------------------------------------------------------------
 */

enum known { UNKNOWN, STARTED, ENDED };

static enum known known_of(const struct id_cache *seen, const char *uuid)
{
    struct digest digest;
    return hash_bytes(uuid, strlen(uuid), &digest) == 0 ? (enum known)id_cache_find(seen, &digest)
                                                        : UNKNOWN;
}

static void note(struct id_cache *seen, const char *uuid, size_t size, enum known known)
{
    struct digest digest;
    if (hash_bytes(uuid, size, &digest) == 0)
        id_cache_add(seen, &digest, known);
}

static int ask(struct store *store, const struct value *uuids, struct id_cache *seen)
{
    struct value row[2];
    int error = store->ops->select(store->database, store->find_runs, uuids);
    if (error != 0)
        return error;
    while ((error = store->ops->next(store->database, store->find_runs, row, 2)) > 0)
        note(seen, row[0].text, row[0].size, value_whole(&row[1]) != 0 ? STARTED : ENDED);
    return error;
}

static int ask_all(struct store *store, const struct record *records, size_t count,
                   struct id_cache *seen)
{
    struct value uuids[ASK_AT_ONCE] = {{.kind = VALUE_NULL}};
    size_t asked = 0;
    int error = 0;
    for (size_t i = 0; error == 0 && i < count; i++) {
        if (records[i].kind != RECORD_RUN)
            continue;
        uuids[asked++] = value_text(records[i].run.uuid);
        if (asked == ASK_AT_ONCE) {
            error = ask(store, uuids, seen);
            asked = 0;
        }
    }
    if (error != 0 || asked == 0)
        return error;
    for (; asked < ASK_AT_ONCE; asked++)
        uuids[asked] = (struct value){.kind = VALUE_NULL};
    return ask(store, uuids, seen);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

struct value store_value(const struct record_field *field, const void *values)
{
    const void *member = (const char *)values + field->offset;
    const struct record_int *whole = member;
    const struct record_real *real = member;
    switch (field->kind) {
    case FIELD_TEXT:
        return value_text(*(const char *const *)member);
    case FIELD_INT:
        return whole->known ? value_int(whole->value) : (struct value){.kind = VALUE_NULL};
    default:
        return real->known ? (struct value){.kind = VALUE_REAL, .real = real->value}
                           : (struct value){.kind = VALUE_NULL};
    }
}

static int fill_own(struct store *store, struct run_record *run, struct value **to)
{
    int64_t ids[5];
    struct value *row = *to;
    int error = store_executable(store, run->exec_path, run->hash_id, &ids[0]);
    if (error == 0)
        error = store_libs(store, &run->libs, run->syshost, &ids[1]);
    if (error == 0)
        error = store_environment(store, &run->environment, &ids[2]);
    if (error == 0)
        error = store_ancestors(store, &run->ancestors, &ids[3]);
    if (error == 0)
        error = store_build(store, &run->build, &ids[4]);
    if (error != 0)
        return error;
    *row++ = value_int(run->is_start_only);
    *row++ = value_text(run->date[0] == '\0' ? NULL : run->date);
    *row++ = value_text(run->cmdline);
    *row++ = value_text(run->ancestor_pids);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        *row++ = value_id(ids[i]);
    *to = row;
    return 0;
}

static int fill_row(struct store *store, struct run_record *run, struct value *row)
{
    int error = fill_own(store, run, &row);
    for (size_t i = 0; error == 0 && i < run_fields.count; i++)
        if (is_column(&run_fields.field[i]))
            *row++ = store_value(&run_fields.field[i], run);
    return error;
}

/* Rows to be added, and rows to be updated with the uuid behind each. */
struct batch {
    struct value *added, *updated; /* owned */
    size_t added_count, updated_count;
    size_t columns;
};

static int put_run(struct store *store, struct batch *batch, struct id_cache *seen,
                   struct run_record *run, enum store_result *result)
{
    enum known known = known_of(seen, run->uuid);
    *result = STORE_UNCHANGED;
    if (known == ENDED || (known == STARTED && run->is_start_only))
        return 0;
    note(seen, run->uuid, strlen(run->uuid), run->is_start_only ? STARTED : ENDED);
    if (known == UNKNOWN) {
        *result = STORE_NEW;
        return fill_row(store, run, batch->added + batch->added_count++ * batch->columns);
    }
    *result = STORE_UPDATED;
    struct value *row = batch->updated + batch->updated_count++ * (batch->columns + 1);
    row[batch->columns] = value_text(run->uuid);
    return fill_row(store, run, row);
}

static int write_batch(struct store *store, const struct batch *batch)
{
    int error = 0;
    if (batch->added_count > 0)
        error =
            store->ops->write(store->database, store->add_run, batch->added, batch->added_count);
    if (error == 0 && batch->updated_count > 0)
        error = store->ops->write(store->database, store->update_run, batch->updated,
                                  batch->updated_count);
    return error;
}

int store_put_runs(struct store *store, struct record *records, size_t count,
                   enum store_result *results)
{
    struct id_cache seen = {0};
    struct batch batch = {.columns = column_count()};
    batch.added = calloc(count, batch.columns * sizeof *batch.added);
    batch.updated = calloc(count, (batch.columns + 1) * sizeof *batch.updated);
    int error = batch.added == NULL || batch.updated == NULL
                    ? store_refuse(store, -ENOMEM, "out of memory")
                    : ask_all(store, records, count, &seen);
    for (size_t i = 0; error == 0 && i < count; i++)
        if (records[i].kind == RECORD_RUN)
            error = put_run(store, &batch, &seen, &records[i].run, &results[i]);
    if (error == 0)
        error = write_batch(store, &batch);
    free(batch.added);
    free(batch.updated);
    id_cache_free(&seen);
    return error;
}
