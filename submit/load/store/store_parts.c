/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of records that are sets, which have their members in tables of their own or in their
 * rows, ancestors and watermarks. What is not known is collected over a batch, and then found or
 * added together.
 */
#include "submit/load/store/store_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"
#include "submit/load/parse/canonical.h"
#include "submit/load/parse/record_part.h"

/* What asks for a member of a set: `name` and `value` of an object, `value` alone of an array. */
typedef int want_member(struct store *store, const char *name, struct json_object *value,
                        const char *scope, struct digest *digest);

static want_member want_object, want_variable_name, want_variable, want_function;

static const struct part_table {
    enum table table;
    const char *members; /* of a set: table, and columns of the set and the member; NULL: they are
                          * in the set's own row */
    const char *set_column;
    enum table member_table;
    want_member *want_first, *want; /* what `want` needs to be stored before it; it */
    enum table first_table;
} part_tables[PART_KINDS] = {
    [PART_LIBS] = {TABLE_OBJECT_SET, "object_set_member (object_set_id, object_id)",
                   "object_set_id", TABLE_OBJECT, NULL, want_object, 0},
    [PART_ENVIRONMENT] = {TABLE_ENVIRONMENT, NULL, NULL, TABLE_ENV_VALUE, want_variable_name,
                          want_variable, TABLE_ENV_NAME},
    [PART_ANCESTORS] = {TABLE_ANCESTORS, NULL, NULL, 0, NULL, NULL, 0},
    [PART_BUILD] = {TABLE_BUILD, NULL, NULL, 0, NULL, NULL, 0},
    [PART_FUNCTIONS] = {TABLE_FUNCTION_SET,
                        "function_set_member (function_set_id, function_name_id)",
                        "function_set_id", TABLE_FUNCTION_NAME, NULL, want_function, 0},
};

static bool is_set(enum part_kind kind)
{
    return part_tables[kind].want != NULL;
}

int store_prepare_parts(struct store *store)
{
    int error = 0;
    for (enum part_kind kind = 0; error == 0 && kind < PART_KINDS; kind++) {
        const struct part_table *table = &part_tables[kind];
        struct store_text sql;
        if (table->members == NULL)
            continue;
        error = store_text_open(store, &sql);
        if (error != 0)
            return error;
        fprintf(sql.file, "INSERT INTO %s VALUES (?, ?)", table->members);
        if (store->ops->or_keep != NULL)
            fprintf(sql.file, " %s %s = %s", store->ops->or_keep, table->set_column,
                    table->set_column);
        store->add_member[kind] = store_text_statement(store, &sql, &error);
    }
    return error;
}

/* ---- Members -------------------------------------------------------------------------------- */

static const char *text_at(struct json_object *array, size_t index)
{
    return json_object_get_string(json_object_array_get_idx(array, index));
}

static int want_object(struct store *store, const char *name, struct json_object *lib,
                       const char *scope, struct digest *digest)
{
    (void)name;
    const char *const texts[] = {text_at(lib, 0), text_at(lib, 1), scope};
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]), value_text(texts[2]),
                                 value_id(store_module_of(store, texts[0]))};
    int error = store_digest_texts(store, texts, 3, digest);
    return error == 0 ? store_want(store, TABLE_OBJECT, digest, rest) : error;
}

static int want_variable_name(struct store *store, const char *name, struct json_object *value,
                              const char *scope, struct digest *digest)
{
    (void)value;
    (void)scope;
    const struct value rest[] = {value_text(name)};
    int error = store_digest_texts(store, &name, 1, digest);
    return error == 0 ? store_want(store, TABLE_ENV_NAME, digest, rest) : error;
}

static int want_variable(struct store *store, const char *name, struct json_object *value,
                         const char *scope, struct digest *digest)
{
    (void)scope;
    struct digest name_digest;
    const char *const texts[] = {name, value == NULL ? "" : json_object_get_string(value)};
    int error = store_digest_texts(store, texts, 1, &name_digest);
    if (error == 0)
        error = store_digest_texts(store, texts, 2, digest);
    const struct value rest[] = {value_id(store_id(store, TABLE_ENV_NAME, &name_digest)),
                                 value_text(texts[1])};
    return error == 0 ? store_want(store, TABLE_ENV_VALUE, digest, rest) : error;
}

static int want_function(struct store *store, const char *name, struct json_object *value,
                         const char *scope, struct digest *digest)
{
    (void)name;
    (void)scope;
    const char *text = json_object_get_string(value);
    const struct value rest[] = {value_text(text)};
    int error = store_digest_texts(store, &text, 1, digest);
    return error == 0 ? store_want(store, TABLE_FUNCTION_NAME, digest, rest) : error;
}

/* What is done with each member of a set. */
typedef int visit_member(void *context, const char *name, struct json_object *value);

static int each_member(struct json_object *set, visit_member *visit, void *context)
{
    int error = 0;
    if (json_object_is_type(set, json_type_object)) {
        json_object_object_foreach(set, name, value)
        {
            if (error >= 0)
                error = visit(context, name, value);
        }
        return error < 0 ? error : 0;
    }
    size_t count = json_object_array_length(set);
    for (size_t i = 0; error >= 0 && i < count; i++)
        error = visit(context, NULL, json_object_array_get_idx(set, i));
    return error < 0 ? error : 0;
}

/* ---- Parts that are not known --------------------------------------------------------------- */

static int digest_json(struct store *store, const struct record_part *part, const char *scope,
                       struct digest *digest, const char **json)
{
    *json = canonical_text(part->value, NULL);
    if (*json == NULL)
        return store_refuse(store, -ENOMEM, "out of memory");
    const char *const texts[] = {scope == NULL ? *json : scope, *json};
    return store_digest_texts(store, texts, scope == NULL ? 1 : 2, digest);
}

static int want_build(struct store *store, const struct record_part *part, struct digest *digest)
{
    struct build_record build;
    struct value rest[16];
    const char *texts[16];
    char epoch[32];
    load_build(part, &build);
    snprintf(epoch, sizeof epoch, "%.17g", build.build_epoch.value);
    for (size_t i = 0; i < build_fields.count; i++) {
        rest[i] = store_value(&build_fields.field[i], &build);
        texts[i] = rest[i].kind == VALUE_TEXT   ? rest[i].text
                   : rest[i].kind == VALUE_REAL ? epoch
                                                : "";
    }
    int error = store_digest_texts(store, texts, build_fields.count, digest);
    return error == 0 ? store_want(store, TABLE_BUILD, digest, rest) : error;
}

/* Returns as store_want(). */
static int want_row(struct store *store, struct new_part *fresh)
{
    const char *json;
    if (fresh->kind == PART_BUILD)
        return want_build(store, fresh->part, &fresh->digest);
    int error = digest_json(store, fresh->part, fresh->scope, &fresh->digest, &json);
    const struct value rest[] = {value_text(json)};
    return error == 0 ? store_want(store, part_tables[fresh->kind].table, &fresh->digest, rest)
                      : error;
}

int store_want_part(struct store *store, enum part_kind kind, struct record_part *part,
                    const char *scope)
{
    if (part->text.size == 0 || id_cache_find(&store->known, &part->digest) != 0)
        return 0;
    if (record_part_complete(part, kind) != 0 ||
        GROW_TO(store->new_parts, store->new_room, store->new_count + 1) != 0)
        return store_refuse(store, -ENOMEM, "out of memory");
    if (part->value == NULL)
        return 0;
    struct new_part *fresh = &store->new_parts[store->new_count];
    *fresh = (struct new_part){.kind = kind, .part = part, .scope = scope};
    int wanted = want_row(store, fresh);
    if (wanted < 0)
        return wanted;
    fresh->is_first = wanted > 0;
    fresh->at = store->wants[part_tables[kind].table].count - 1;
    store->new_count++;
    id_cache_add(&store->known, &part->digest, STORE_WANTED);
    return 0;
}

int store_part_id(struct store *store, const struct record_part *part, int64_t *id)
{
    *id = part->text.size == 0 ? 0 : id_cache_find(&store->known, &part->digest);
    bool is_lost = *id == STORE_WANTED || (*id == 0 && part->value != NULL);
    return is_lost ? store_refuse(store, -ENOMEM, "out of memory") : 0;
}

/* ---- Settling ------------------------------------------------------------------------------- */

struct asking {
    struct store *store;
    want_member *want;
    const char *scope;
};

static int ask_for(void *context, const char *name, struct json_object *value)
{
    const struct asking *asking = context;
    struct digest ignored;
    return asking->want(asking->store, name, value, asking->scope, &ignored);
}

static bool is_missing(const struct store *store, const struct new_part *fresh)
{
    return fresh->is_first && is_set(fresh->kind) &&
           store_id(store, part_tables[fresh->kind].table, &fresh->digest) == 0;
}

/* Of the sets of this kind that are not there: the members, or what those need. */
static int want_members(struct store *store, enum part_kind kind, want_member *want)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < store->new_count; i++) {
        const struct new_part *fresh = &store->new_parts[i];
        struct asking asking = {store, want, fresh->scope};
        if (fresh->kind == kind && is_missing(store, fresh))
            error = each_member(fresh->part->value, ask_for, &asking);
    }
    return error;
}

static int settle_members(struct store *store, enum part_kind kind)
{
    const struct part_table *table = &part_tables[kind];
    int error = store_find_wanted(store, table->table);
    if (error == 0 && table->want_first != NULL)
        error = want_members(store, kind, table->want_first);
    if (error == 0 && table->want_first != NULL)
        error = store_settle(store, table->first_table);
    if (error == 0)
        error = want_members(store, kind, table->want);
    return error == 0 ? store_settle(store, table->member_table) : error;
}

/* Rows of (set, member) */
struct member_rows {
    struct store *store;
    const struct new_part *fresh;
    struct value (*rows)[2]; /* owned */
    size_t count;
};

static int add_member(void *context, const char *name, struct json_object *value)
{
    struct member_rows *rows = context;
    const struct part_table *table = &part_tables[rows->fresh->kind];
    struct digest digest;
    if (GROW(rows->rows, rows->count) != 0)
        return store_refuse(rows->store, -ENOMEM, "out of memory");
    int error = table->want(rows->store, name, value, rows->fresh->scope, &digest);
    if (error != 0)
        return error < 0 ? error : store_refuse(rows->store, -ENOMEM, "out of memory");
    struct value *row = rows->rows[rows->count++];
    row[0] = value_int(store_id(rows->store, table->table, &rows->fresh->digest));
    row[1] = value_int(store_id(rows->store, table->member_table, &digest));
    return 0;
}

static int compare_members(const void *left, const void *right)
{
    const struct value *one = left, *other = right;
    int64_t order = one[0].whole != other[0].whole ? one[0].whole - other[0].whole
                                                   : one[1].whole - other[1].whole;
    return order < 0 ? -1 : order > 0;
}

/* Members of the sets that `missing` says were not there. */
static int write_members(struct store *store, enum part_kind kind, const bool *missing)
{
    struct member_rows rows = {.store = store};
    int error = 0;
    for (size_t i = 0; error == 0 && i < store->new_count; i++) {
        rows.fresh = &store->new_parts[i];
        if (missing[i] && rows.fresh->kind == kind)
            error = each_member(rows.fresh->part->value, add_member, &rows);
    }
    if (rows.count > 0) /* at the end of the table, which fills its pages */
        qsort(rows.rows, rows.count, sizeof *rows.rows, compare_members);
    if (error == 0 && rows.count > 0)
        error =
            store->ops->write(store->database, store->add_member[kind], rows.rows[0], rows.count);
    free(rows.rows);
    return error;
}

/* A set's members as a JSON array of their ids, in `*text`, which the caller frees. */
static int list_members(struct store *store, const struct new_part *fresh, char **text)
{
    struct member_rows rows = {.store = store, .fresh = fresh};
    int error = each_member(fresh->part->value, add_member, &rows);
    if (rows.count > 0)
        qsort(rows.rows, rows.count, sizeof *rows.rows, compare_members);
    size_t size;
    FILE *file = error == 0 ? open_memstream(text, &size) : NULL;
    for (size_t i = 0; file != NULL && i < rows.count; i++)
        fprintf(file, "%c%" PRId64, i == 0 ? '[' : ',', rows.rows[i][1].whole);
    if (file != NULL)
        fputs(rows.count == 0 ? "[]" : "]", file);
    free(rows.rows);
    if (error != 0)
        return error;
    return file == NULL || fclose(file) != 0 ? store_refuse(store, -ENOMEM, "out of memory") : 0;
}

/* Adds the sets that `missing` says are not there, with their members in the row. */
static int add_listed(struct store *store, enum part_kind kind, const bool *missing)
{
    struct wants *wants = &store->wants[part_tables[kind].table];
    char **texts = calloc(store->new_count + 1, sizeof *texts);
    int error = texts == NULL ? store_refuse(store, -ENOMEM, "out of memory") : 0;
    for (size_t i = 0; error == 0 && i < store->new_count; i++) {
        const struct new_part *fresh = &store->new_parts[i];
        if (!missing[i] || fresh->kind != kind)
            continue;
        error = list_members(store, fresh, &texts[i]);
        if (error == 0)
            wants->rows[fresh->at * wants->columns + 1] = value_text(texts[i]);
    }
    if (error == 0)
        error = store_add_wanted(store, part_tables[kind].table);
    for (size_t i = 0; texts != NULL && i < store->new_count; i++)
        free(texts[i]);
    free(texts);
    return error;
}

static int settle_kind(struct store *store, enum part_kind kind, bool *missing)
{
    if (!is_set(kind))
        return store_settle(store, part_tables[kind].table);
    int error = settle_members(store, kind);
    for (size_t i = 0; i < store->new_count; i++)
        missing[i] = is_missing(store, &store->new_parts[i]);
    if (error == 0 && part_tables[kind].members == NULL)
        return add_listed(store, kind, missing);
    if (error == 0)
        error = store_add_wanted(store, part_tables[kind].table);
    return error == 0 ? write_members(store, kind, missing) : error;
}

int store_settle_parts(struct store *store)
{
    int error = 0;
    bool *missing = calloc(store->new_count + 1, sizeof *missing);
    if (missing == NULL)
        return store_refuse(store, -ENOMEM, "out of memory");
    for (enum part_kind kind = 0; error == 0 && kind < PART_KINDS; kind++)
        error = settle_kind(store, kind, missing);
    for (size_t i = 0; error == 0 && i < store->new_count; i++) {
        const struct new_part *fresh = &store->new_parts[i];
        id_cache_add(&store->known, &fresh->part->digest,
                     store_id(store, part_tables[fresh->kind].table, &fresh->digest));
    }
    free(missing);
    store->new_count = 0;
    return error;
}
