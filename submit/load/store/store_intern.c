/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "submit/load/store/store_state.h"

#define FIND_AT_ONCE 128 /* digests in one question */
#define IDS_MAX      3   /* of other rows, in one row */

/* ---- Statements ----------------------------------------------------------------------------- */

static const struct shared_table tables[TABLES_OF_CORE] = {
    [TABLE_EXECUTABLE] = {"executable", "identity", ", path, hash_id, module_id", NULL},
    [TABLE_OBJECT] = {"object", "identity", ", path, hash, syshost, module_id", NULL},
    [TABLE_OBJECT_SET] = {"object_set", "hash", "", NULL},
    [TABLE_ENV_NAME] = {"env_name", "identity", ", name", NULL},
    [TABLE_ENV_VALUE] = {"env_value", "identity", ", env_name_id, value", NULL},
    [TABLE_ENVIRONMENT] = {"environment", "hash", ", members", NULL},
    [TABLE_ANCESTORS] = {"ancestors", "hash", ", json", NULL},
    [TABLE_BUILD] = {"build", "identity", "", &build_fields},
    [TABLE_FUNCTION_NAME] = {"function_name", "identity", ", name", NULL},
    [TABLE_FUNCTION_SET] = {"function_set", "hash", "", NULL},
    [TABLE_PACKAGE] = {"package", "identity", ", program, name, version, path", NULL},
    [TABLE_MODULE] = {"module", "identity", ", name", NULL},
    [TABLE_PROGRAM] = {"program", "identity", ", executable_id, object_set_id, build_id",
                       &program_fields},
    [TABLE_JOB_PART] = {"job_part", "identity", "", &job_part_fields},
    [TABLE_LAYOUT] = {"layout", "identity", "", &layout_fields},
    [TABLE_ENDING] = {"ending", "identity", "", &ending_fields},
};

static const struct shared_table *table_of(enum table table)
{
    static const struct shared_table none = {.name = NULL};
    if (table < TABLES_OF_CORE)
        return &tables[table];
    const size_t at = table - TABLES_OF_CORE;
    const struct run_part *part = run_parts[at / PART_TABLES];
    return part == NULL ? &none : &part->shared[at % PART_TABLES];
}

const char *store_table_of_paths(enum table table)
{
    const struct shared_table *of = table_of(table);
    return of->name != NULL && strstr(of->columns, ", module_id") != NULL ? of->name : NULL;
}

static void prepare_find(struct store_intern *intern, enum table table, int *error)
{
    struct store_text sql = {0};
    const struct shared_table *of = table_of(table);
    store_text_add(&sql, "SELECT id, %s FROM %s WHERE %s IN (", of->key, of->name, of->key);
    store_text_add_places(&sql, FIND_AT_ONCE);
    store_text_add(&sql, ")");
    intern->find[table] = store_text_statement(intern->on, &sql, error);
}

static void prepare_add(struct store_intern *intern, enum table table, int *error)
{
    const struct shared_table *of = table_of(table);
    const struct record_fields *fields = of->fields;
    const char *or_keep = intern->on->ops->or_keep;
    struct store_text sql = {0};
    size_t columns = 1;
    store_text_add(&sql, "INSERT INTO %s (%s%s", of->name, of->key, of->columns);
    for (const char *at = of->columns; (at = strchr(at, ',')) != NULL; at++)
        columns++;
    for (size_t i = 0; fields != NULL && i < fields->count; i++, columns++)
        store_text_add(&sql, ", `%s`", fields->field[i].column);
    store_text_add(&sql, ") VALUES (");
    store_text_add_places(&sql, columns);
    store_text_add(&sql, ")");
    if (or_keep != NULL)
        store_text_add(&sql, " %s id = id", or_keep);
    intern->wants[table].columns = columns;
    intern->add[table] = store_text_statement(intern->on, &sql, error);
}

int store_prepare_intern(struct store_intern *intern, struct store_connection *on,
                         const struct store_prefixes *prefixes)
{
    int error = 0;
    intern->on = on;
    intern->prefixes = prefixes;
    for (enum table table = 0; error == 0 && table < TABLES; table++) {
        if (table_of(table)->name == NULL)
            continue;
        prepare_find(intern, table, &error);
        prepare_add(intern, table, &error);
    }
    return error;
}

/* ---- Digests -------------------------------------------------------------------------------- */

/* Rows of different tables can have the same digest. */
static struct digest key_of(enum table table, const struct digest *digest)
{
    struct digest key = *digest;
    key.bytes[sizeof key.bytes - 1] ^= (unsigned char)(table + 1);
    return key;
}

/* ---- What is wanted ------------------------------------------------------------------------- */

int store_want(struct store_intern *intern, enum table table, const struct digest *digest,
               const struct value *rest)
{
    struct wants *wants = &intern->wants[table];
    const struct digest key = key_of(table, digest);
    if (store_is_known(intern, table, digest))
        return 0;
    size_t needed = wants->count + 1, values = wants->room * wants->columns;
    if (GROW_TO(wants->rows, values, needed * wants->columns) != 0 ||
        GROW_TO(wants->digests, wants->room, needed) != 0)
        return store_refuse(intern->on, -ENOMEM, "out of memory");
    wants->digests[wants->count] = *digest;
    struct value *row = wants->rows + wants->count++ * wants->columns;
    for (size_t i = 1; i < wants->columns; i++)
        row[i] = rest[i - 1];
    id_cache_add(&intern->known, &key, STORE_WANTED);
    return 1;
}

int64_t store_id(const struct store_intern *intern, enum table table, const struct digest *digest)
{
    const struct digest key = key_of(table, digest);
    int64_t id = id_cache_find(&intern->known, &key);
    return id < 0 ? 0 : id;
}

bool store_is_known(const struct store_intern *intern, enum table table,
                    const struct digest *digest)
{
    const struct digest key = key_of(table, digest);
    int64_t id = id_cache_find(&intern->known, &key);
    return id != 0 && id != STORE_TAKEN_BACK;
}

size_t store_take_back(struct store_intern *intern, enum table table)
{
    struct wants *wants = &intern->wants[table];
    size_t missing = 0;
    for (size_t i = 0; i < wants->count; i++) {
        const struct digest key = key_of(table, &wants->digests[i]);
        if (id_cache_find(&intern->known, &key) == STORE_WANTED) {
            id_cache_add(&intern->known, &key, STORE_TAKEN_BACK);
            missing++;
        }
    }
    wants->count = 0;
    return missing;
}

static int find_some(struct store_intern *intern, enum table table, const struct value *digests)
{
    struct value row[2];
    int error = store_select(intern->on, intern->find[table], digests);
    if (error != 0)
        return error;
    while ((error = store_next(intern->on, intern->find[table], row, 2)) > 0) {
        struct digest digest;
        if (row[1].kind == VALUE_NULL || row[1].size != sizeof digest)
            continue;
        memcpy(&digest, row[1].text, sizeof digest);
        const struct digest key = key_of(table, &digest);
        id_cache_add(&intern->known, &key, value_whole(&row[0]));
    }
    return error;
}

int store_find_wanted(struct store_intern *intern, enum table table)
{
    const struct wants *wants = &intern->wants[table];
    struct value digests[FIND_AT_ONCE];
    int error = 0;
    for (size_t at = 0; error == 0 && at < wants->count;) {
        size_t asked = 0;
        for (; asked < FIND_AT_ONCE && at < wants->count; at++)
            if (store_id(intern, table, &wants->digests[at]) == 0)
                digests[asked++] = value_bytes(&wants->digests[at], sizeof *wants->digests);
        for (size_t i = asked; i < FIND_AT_ONCE; i++)
            digests[i] = (struct value){.kind = VALUE_NULL};
        if (asked > 0)
            error = find_some(intern, table, digests);
    }
    return error;
}

static int compare_rows(const void *left, const void *right)
{
    const struct value *const *one = left, *const *other = right;
    return memcmp((*one)->text, (*other)->text, sizeof(struct digest));
}

/* The rows that are not there, in the order of their digests: two loaders that add the same rows
 * do not wait for each other in a circle. Parts of jobs, of which a loader has its own, stay in the
 * order of the runs, so that neighbours in an index come together. Returns their number. */
static size_t list_missing(const struct store_intern *intern, enum table table,
                           const struct value **list)
{
    const struct wants *wants = &intern->wants[table];
    size_t count = 0;
    for (size_t i = 0; i < wants->count; i++) {
        struct value *row = wants->rows + i * wants->columns;
        row[0] = value_bytes(&wants->digests[i], sizeof *wants->digests);
        if (store_id(intern, table, &wants->digests[i]) == 0)
            list[count++] = row;
    }
    if (table != TABLE_JOB_PART)
        qsort(list, count, sizeof *list, compare_rows);
    return count;
}

static int write_missing(struct store_intern *intern, enum table table, const struct value **list,
                         size_t count)
{
    const size_t columns = intern->wants[table].columns;
    CLEANUP_FREE struct value *rows = calloc(count, columns * sizeof *rows);
    if (rows == NULL)
        return store_refuse(intern->on, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        memcpy(rows + i * columns, list[i], columns * sizeof *rows);
    int error = store_write(intern->on, intern->add[table], rows, count);
    return error == 0 ? store_find_wanted(intern, table) : error;
}

int store_add_wanted(struct store_intern *intern, enum table table)
{
    struct wants *wants = &intern->wants[table];
    if (wants->count == 0)
        return 0;
    CLEANUP_FREE const struct value **list = calloc(wants->count, sizeof *list);
    if (list == NULL)
        return store_refuse(intern->on, -ENOMEM, "out of memory");
    size_t missing = list_missing(intern, table, list);
    int error = missing == 0 ? 0 : write_missing(intern, table, list, missing);
    if (error == 0 && missing > 0 && list_missing(intern, table, list) > 0)
        error = store_refuse(intern->on, -EAGAIN, "another program removes what is loaded");
    wants->count = 0;
    return error;
}

int store_settle(struct store_intern *intern, enum table table)
{
    int error = store_find_wanted(intern, table);
    return error == 0 ? store_add_wanted(intern, table) : error;
}

void store_free_intern(struct store_intern *intern)
{
    for (enum table table = 0; table < TABLES; table++) {
        free(intern->wants[table].digests);
        free(intern->wants[table].rows);
    }
    id_cache_free(&intern->known);
}

int store_intern(struct store_intern *intern, enum table table, const char *const *texts,
                 size_t count, const struct value *rest, int64_t *id)
{
    struct digest digest;
    digest_texts(texts, count, &digest);
    int error = store_want(intern, table, &digest, rest);
    if (error >= 0)
        error = store_settle(intern, table);
    *id = error == 0 ? store_id(intern, table, &digest) : 0;
    return error;
}

/* ---- Rows of a record's fields -------------------------------------------------------------- */

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

int store_want_fields(struct store_intern *intern, enum table table, const int64_t *ids,
                      size_t ids_count, const void *values, struct digest *digest)
{
    const struct record_fields *fields = tables[table].fields;
    struct value rest[IDS_MAX + RUN_FIELDS];
    for (size_t i = 0; i < ids_count; i++)
        rest[i] = value_id(ids[i]);
    for (size_t i = 0; i < fields->count; i++)
        rest[ids_count + i] = store_value(&fields->field[i], values);
    digest_values(rest, ids_count + fields->count, digest);
    return store_want(intern, table, digest, rest);
}

int store_want_executable(struct store_intern *intern, const char *path, const char *hash,
                          struct digest *digest)
{
    const char *const texts[] = {path, hash == NULL ? "0" : hash};
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]),
                                 value_id(store_module_of(intern->prefixes, path))};
    if (path == NULL)
        return 0;
    digest_texts(texts, 2, digest);
    return store_want(intern, TABLE_EXECUTABLE, digest, rest);
}

/* ---- Prefixes of modules -------------------------------------------------------------------- */

int store_prepare_prefixes(struct store_prefixes *prefixes, struct store_connection *on)
{
    int error = 0;
    prefixes->on = on;
    prefixes->get = store_statement(on, "SELECT prefix, module_id FROM module_path", &error);
    return error;
}

int64_t store_module_of(const struct store_prefixes *prefixes, const char *path)
{
    if (path == NULL || prefixes->known.used == 0)
        return 0;
    for (size_t size = strlen(path); size > 0; size--) {
        struct digest digest;
        if (path[size] != '\0' && path[size] != '/')
            continue;
        hash_bytes(path, size, &digest);
        int64_t id = id_cache_find(&prefixes->known, &digest);
        if (id != 0)
            return id;
    }
    return 0;
}

int store_read_modules(struct store_prefixes *prefixes)
{
    struct value row[2];
    id_cache_free(&prefixes->known);
    int error = store_select(prefixes->on, prefixes->get, NULL);
    if (error != 0)
        return error;
    while ((error = store_next(prefixes->on, prefixes->get, row, 2)) > 0) {
        struct digest digest;
        if (row[0].kind != VALUE_TEXT)
            continue;
        hash_bytes(row[0].text, row[0].size, &digest);
        id_cache_add(&prefixes->known, &digest, value_whole(&row[1]));
    }
    return error;
}
