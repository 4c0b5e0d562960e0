/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What many records share, stored once.
 */
#include "store_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canonical.h"
#include "record_part.h"

/* ---- Statements ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    const char *columns; /* the first is the key */
} tables[TABLES] = {
    [TABLE_EXECUTABLE] = {"executable", "identity, path, hash_id, module_id"},
    [TABLE_OBJECT] = {"object", "identity, path, hash, syshost, module_id"},
    [TABLE_OBJECT_SET] = {"object_set", "hash"},
    [TABLE_ENV_NAME] = {"env_name", "identity, name"},
    [TABLE_ENV_VALUE] = {"env_value", "identity, env_name_id, value"},
    [TABLE_ENVIRONMENT] = {"environment", "hash"},
    [TABLE_ANCESTORS] = {"ancestors", "hash, json"},
    [TABLE_BUILD] = {"build", NULL}, /* build_fields */
    [TABLE_FUNCTION_NAME] = {"function_name", "identity, name"},
    [TABLE_FUNCTION_SET] = {"function_set", "hash"},
    [TABLE_PACKAGE] = {"package", "identity, program, name, version, path"},
    [TABLE_MODULE] = {"module", "identity, name"},
};

static const char *const member_columns[SETS] = {
    [SET_OBJECTS] = "object_set_member (object_set_id, object_id)",
    [SET_ENVIRONMENT] = "environment_member (environment_id, env_value_id)",
    [SET_FUNCTIONS] = "function_set_member (function_set_id, function_name_id)",
};

static void list_build_columns(char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "identity");
    for (size_t i = 0; i < build_fields.count && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, ", %s", build_fields.field[i].column);
}

static size_t count_columns(const char *columns)
{
    size_t count = 1;
    for (const char *at = columns; (at = strchr(at, ',')) != NULL; at++)
        count++;
    return count;
}

static int prepare_table(struct store *store, enum table table)
{
    char columns[512], sql[1024];
    int error = 0;
    if (tables[table].columns == NULL)
        list_build_columns(columns, sizeof columns);
    else
        snprintf(columns, sizeof columns, "%s", tables[table].columns);
    const char *key = strncmp(columns, "hash", 4) == 0 ? "hash" : "identity";

    snprintf(sql, sizeof sql, "SELECT id FROM %s WHERE %s = ?", tables[table].name, key);
    store->find[table] = store_statement(store, sql, &error);
    int length =
        snprintf(sql, sizeof sql, "INSERT INTO %s (%s) VALUES (?", tables[table].name, columns);
    for (size_t i = count_columns(columns); i > 1; i--)
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", ?");
    snprintf(sql + length, sizeof sql - (size_t)length, ")");
    store->add[table] = store_statement(store, sql, &error);
    return error;
}

int store_prepare_intern(struct store *store)
{
    int error = 0;
    for (enum table table = 0; error == 0 && table < TABLES; table++)
        error = prepare_table(store, table);
    for (enum set set = 0; error == 0 && set < SETS; set++) {
        char sql[128];
        snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?, ?)", member_columns[set]);
        store->add_member[set] = store_statement(store, sql, &error);
    }
    return error;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Rows of different tables can have the same identity. */
static struct digest key_of(enum table table, const struct digest *digest)
{
    struct digest key = *digest;
    key.bytes[sizeof key.bytes - 1] ^= (unsigned char)(table + 1);
    return key;
}

static int find_row(struct store *store, struct statement *find, const struct value *key,
                    int64_t *id)
{
    struct value row[1];
    *id = 0;
    int error = store->ops->select(store->database, find, key);
    if (error != 0)
        return error;
    while ((error = store->ops->next(store->database, find, row, 1)) > 0)
        *id = value_whole(row);
    return error;
}

#define MAX_REST 15

static int add_row(struct store *store, enum table table, const char *hex, const struct value *rest,
                   size_t count, int64_t *id)
{
    struct value row[1 + MAX_REST] = {value_text(hex)};
    for (size_t i = 0; i < count; i++)
        row[1 + i] = rest[i];
    int error = store->ops->write(store->database, store->add[table], row, 1);
    if (error == 0)
        *id = store->ops->last_id(store->database);
    return error;
}

/* `*added`: the row is new, and so are its members if it is a set. */
static int intern_digest(struct store *store, enum table table, const struct digest *digest,
                         const struct value *rest, size_t count, int64_t *id, bool *added)
{
    char hex[HASH_HEX_SIZE];
    struct digest key = key_of(table, digest);
    *added = false;
    *id = id_cache_find(&store->known, &key);
    if (*id != 0)
        return 0;
    hash_hex(digest, hex);
    struct value parameter = value_text(hex);
    int error = find_row(store, store->find[table], &parameter, id);
    if (error == 0 && *id == 0) {
        error = add_row(store, table, hex, rest, count, id);
        *added = true;
    }
    if (error == 0)
        id_cache_add(&store->known, &key, *id);
    return error;
}

int store_intern(struct store *store, enum table table, const char *const *texts,
                 size_t texts_count, const struct value *rest, size_t rest_count, int64_t *id)
{
    const void *pieces[MAX_REST];
    size_t sizes[MAX_REST];
    struct digest digest;
    bool added;
    for (size_t i = 0; i < texts_count; i++) {
        pieces[i] = texts[i] == NULL ? "" : texts[i];
        sizes[i] = strlen(pieces[i]);
    }
    if (hash_pieces(pieces, sizes, texts_count, &digest) != 0)
        return store_refuse(store, -ENOTSUP, "this host's crypto policy has no SHA-1");
    return intern_digest(store, table, &digest, rest, rest_count, id, &added);
}

int store_executable(struct store *store, const char *path, const char *hash, int64_t *id)
{
    *id = 0;
    if (path == NULL)
        return 0;
    const char *const texts[] = {path, hash == NULL ? "0" : hash};
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]),
                                 value_id(store_module_of(store, path))};
    return store_intern(store, TABLE_EXECUTABLE, texts, 2, rest, 3, id);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static int digest_json(struct store *store, const struct record_part *part, const char *scope,
                       struct digest *digest, const char **json)
{
    size_t size;
    *json = canonical_text(part->value, &size);
    if (*json == NULL)
        return store_refuse(store, -ENOMEM, "out of memory");
    const void *pieces[] = {scope, *json};
    const size_t sizes[] = {scope == NULL ? 0 : strlen(scope), size};
    int error =
        scope == NULL ? hash_bytes(*json, size, digest) : hash_pieces(pieces, sizes, 2, digest);
    return error == 0 ? 0 : store_refuse(store, -ENOTSUP, "this host's crypto policy has no SHA-1");
}

/* Whether there is a part whose id is not known yet; it is parsed then. */
static int look_at(struct store *store, struct record_part *part, enum part_kind kind, int64_t *id)
{
    *id = 0;
    if (part->text.size == 0)
        return 0;
    *id = id_cache_find(&store->known, &part->digest);
    if (*id != 0)
        return 0;
    if (record_part_complete(part, kind) != 0)
        return store_refuse(store, -ENOMEM, "out of memory");
    return part->value == NULL ? 0 : 1;
}

static int write_members(struct store *store, enum set set, int64_t set_id, const int64_t *ids,
                         size_t count)
{
    struct value *rows = calloc(count, 2 * sizeof *rows);
    if (rows == NULL)
        return store_refuse(store, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        rows[2 * i] = value_int(set_id);
        rows[2 * i + 1] = value_int(ids[i]);
    }
    int error = store->ops->write(store->database, store->add_member[set], rows, count);
    free(rows);
    return error;
}

/* What writes the members of a set, in `value`, into `ids`. */
typedef int intern_members(struct store *store, struct json_object *value, const char *scope,
                           int64_t *ids);

static int add_members(struct store *store, enum set set, int64_t set_id, struct json_object *value,
                       const char *scope, intern_members *intern)
{
    size_t count = json_object_is_type(value, json_type_object)
                       ? (size_t)json_object_object_length(value)
                       : json_object_array_length(value);
    if (count == 0)
        return 0;
    int64_t *ids = calloc(count, sizeof *ids);
    if (ids == NULL)
        return store_refuse(store, -ENOMEM, "out of memory");
    int error = intern(store, value, scope, ids);
    if (error == 0)
        error = write_members(store, set, set_id, ids, count);
    free(ids);
    return error;
}

struct set_type {
    enum part_kind kind;
    enum table table;
    enum set set;
    intern_members *intern;
};

static int intern_set(struct store *store, const struct set_type *type, struct record_part *part,
                      const char *scope, int64_t *id)
{
    struct digest digest;
    const char *json;
    bool added = false;
    int unknown = look_at(store, part, type->kind, id);
    if (unknown <= 0)
        return unknown;
    int error = digest_json(store, part, scope, &digest, &json);
    if (error == 0)
        error = intern_digest(store, type->table, &digest, NULL, 0, id, &added);
    if (error == 0 && added)
        error = add_members(store, type->set, *id, part->value, scope, type->intern);
    if (error == 0)
        id_cache_add(&store->known, &part->digest, *id);
    return error;
}

static const char *text_at(struct json_object *array, size_t index)
{
    return json_object_get_string(json_object_array_get_idx(array, index));
}

static int intern_objects(struct store *store, struct json_object *libs, const char *syshost,
                          int64_t *ids)
{
    int error = 0;
    size_t count = json_object_array_length(libs);
    for (size_t i = 0; error == 0 && i < count; i++) {
        struct json_object *lib = json_object_array_get_idx(libs, i);
        const char *const texts[] = {text_at(lib, 0), text_at(lib, 1), syshost};
        const struct value rest[] = {value_text(texts[0]), value_text(texts[1]),
                                     value_text(syshost),
                                     value_id(store_module_of(store, texts[0]))};
        error = store_intern(store, TABLE_OBJECT, texts, 3, rest, 4, &ids[i]);
    }
    return error;
}

int store_libs(struct store *store, struct record_part *part, const char *syshost, int64_t *id)
{
    static const struct set_type type = {PART_LIBS, TABLE_OBJECT_SET, SET_OBJECTS, intern_objects};
    return intern_set(store, &type, part, syshost == NULL ? "" : syshost, id);
}

static int intern_variable(struct store *store, const char *name, const char *text, int64_t *id)
{
    int64_t name_id;
    const char *const texts[] = {name, text};
    const struct value name_rest[] = {value_text(name)};
    int error = store_intern(store, TABLE_ENV_NAME, texts, 1, name_rest, 1, &name_id);
    if (error != 0)
        return error;
    const struct value rest[] = {value_int(name_id), value_text(text)};
    return store_intern(store, TABLE_ENV_VALUE, texts, 2, rest, 2, id);
}

static int intern_variables(struct store *store, struct json_object *variables, const char *scope,
                            int64_t *ids)
{
    (void)scope;
    int error = 0;
    json_object_object_foreach(variables, name, value)
    {
        const char *text = value == NULL ? "" : json_object_get_string(value);
        if (error == 0)
            error = intern_variable(store, name, text, ids++);
    }
    return error;
}

int store_environment(struct store *store, struct record_part *part, int64_t *id)
{
    static const struct set_type type = {PART_ENVIRONMENT, TABLE_ENVIRONMENT, SET_ENVIRONMENT,
                                         intern_variables};
    return intern_set(store, &type, part, NULL, id);
}

static int intern_functions(struct store *store, struct json_object *names, const char *scope,
                            int64_t *ids)
{
    (void)scope;
    int error = 0;
    size_t count = json_object_array_length(names);
    for (size_t i = 0; error == 0 && i < count; i++) {
        const char *const texts[] = {text_at(names, i)};
        const struct value rest[] = {value_text(texts[0])};
        error = store_intern(store, TABLE_FUNCTION_NAME, texts, 1, rest, 1, &ids[i]);
    }
    return error;
}

int store_functions(struct store *store, struct record_part *part, int64_t *id)
{
    static const struct set_type type = {PART_FUNCTIONS, TABLE_FUNCTION_SET, SET_FUNCTIONS,
                                         intern_functions};
    return intern_set(store, &type, part, NULL, id);
}

int store_ancestors(struct store *store, struct record_part *part, int64_t *id)
{
    struct digest digest;
    const char *json;
    bool added;
    int unknown = look_at(store, part, PART_ANCESTORS, id);
    if (unknown <= 0)
        return unknown;
    int error = digest_json(store, part, NULL, &digest, &json);
    if (error == 0) {
        const struct value rest[] = {value_text(json)};
        error = intern_digest(store, TABLE_ANCESTORS, &digest, rest, 1, id, &added);
    }
    if (error == 0)
        id_cache_add(&store->known, &part->digest, *id);
    return error;
}

int store_build(struct store *store, struct record_part *part, int64_t *id)
{
    struct build_record build;
    struct value rest[MAX_REST];
    const char *texts[MAX_REST];
    char epoch[32];
    int unknown = look_at(store, part, PART_BUILD, id);
    if (unknown <= 0)
        return unknown;
    load_build(part, &build);
    snprintf(epoch, sizeof epoch, "%.17g", build.build_epoch.value);
    for (size_t i = 0; i < build_fields.count; i++) {
        rest[i] = store_value(&build_fields.field[i], &build);
        texts[i] = rest[i].kind == VALUE_TEXT   ? rest[i].text
                   : rest[i].kind == VALUE_REAL ? epoch
                                                : "";
    }
    int error =
        store_intern(store, TABLE_BUILD, texts, build_fields.count, rest, build_fields.count, id);
    if (error == 0)
        id_cache_add(&store->known, &part->digest, *id);
    return error;
}
