/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/store/store_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "submit/load/parse/json_parse.h"

/* A member of a set, and what is to be stored of it. */
struct set_member {
    const char *texts[3]; /* of the record, or of the run that it is of */
    struct digest digest; /* of its row */
};

/* A part of a record that the store did not know. */
struct new_part {
    enum part_kind kind;
    struct record_part *part;
    const char *scope;
    struct digest digest;       /* of its row */
    bool is_first;              /* of the parts with this digest */
    size_t at;                  /* its row among those that are wanted, when it is the first */
    struct set_member *members; /* owned: of a set that is not in the store */
    size_t count;
};

/* Reads one: `name` and `value` of an object's, `value` alone of an array's. Returns how many texts
 * its row is known by. */
typedef size_t read_member(const char *name, struct json_object *value, const char *scope,
                           const char **texts);

/* Asks for what a member needs to be stored before it; for its row. */
typedef int want_member(struct store_parts *parts, const struct set_member *member);

static read_member read_object, read_variable, read_function;
static want_member want_object, want_variable_name, want_variable, want_function;

static const struct part_table {
    enum table table;
    const char *members; /* of a set: table, and columns of the set and the member; NULL: they are
                          * in the set's own row */
    const char *set_column;
    enum table member_table;
    read_member *read; /* NULL: the part is no set */
    want_member *want_first, *want;
    enum table first_table;
} part_tables[PART_KINDS] = {
    [PART_LIBS] = {TABLE_OBJECT_SET, "object_set_member (object_set_id, object_id)",
                   "object_set_id", TABLE_OBJECT, read_object, NULL, want_object, 0},
    [PART_ENVIRONMENT] = {TABLE_ENVIRONMENT, NULL, NULL, TABLE_ENV_VALUE, read_variable,
                          want_variable_name, want_variable, TABLE_ENV_NAME},
    [PART_ANCESTORS] = {TABLE_ANCESTORS, NULL, NULL, 0, NULL, NULL, NULL, 0},
    [PART_BUILD] = {TABLE_BUILD, NULL, NULL, 0, NULL, NULL, NULL, 0},
    [PART_FUNCTIONS] = {TABLE_FUNCTION_SET,
                        "function_set_member (function_set_id, function_name_id)",
                        "function_set_id", TABLE_FUNCTION_NAME, read_function, NULL, want_function,
                        0},
};

static bool is_set(enum part_kind kind)
{
    return part_tables[kind].read != NULL;
}

int store_prepare_parts(struct store_parts *parts, struct store_intern *intern)
{
    int error = 0;
    parts->on = intern->on;
    parts->intern = intern;
    for (enum part_kind kind = 0; error == 0 && kind < PART_KINDS; kind++) {
        const struct part_table *table = &part_tables[kind];
        const char *or_keep = parts->on->ops->or_keep;
        struct store_text sql = {0};
        if (table->members == NULL)
            continue;
        store_text_add(&sql, "INSERT INTO %s VALUES (?, ?)", table->members);
        if (or_keep != NULL)
            store_text_add(&sql, " %s %s = %s", or_keep, table->set_column, table->set_column);
        parts->add_member[kind] = store_text_statement(parts->on, &sql, &error);
    }
    return error;
}

/* ---- Members -------------------------------------------------------------------------------- */

static const char *text_at(struct json_object *array, size_t index)
{
    return json_object_get_string(json_object_array_get_idx(array, index));
}

static size_t read_object(const char *name, struct json_object *lib, const char *scope,
                          const char **texts)
{
    (void)name;
    texts[0] = text_at(lib, 0);
    texts[1] = text_at(lib, 1);
    texts[2] = scope;
    return 3;
}

static int want_object(struct store_parts *parts, const struct set_member *object)
{
    const char *const *texts = object->texts;
    const struct value rest[] = {value_text(texts[0]), value_text(texts[1]), value_text(texts[2]),
                                 value_id(store_module_of(parts->intern->prefixes, texts[0]))};
    return store_want(parts->intern, TABLE_OBJECT, &object->digest, rest);
}

static size_t read_variable(const char *name, struct json_object *value, const char *scope,
                            const char **texts)
{
    (void)scope;
    texts[0] = name;
    texts[1] = value == NULL ? "" : json_object_get_string(value);
    return 2;
}

static int want_variable_name(struct store_parts *parts, const struct set_member *variable)
{
    struct digest digest;
    const struct value rest[] = {value_text(variable->texts[0])};
    digest_texts(variable->texts, 1, &digest);
    return store_want(parts->intern, TABLE_ENV_NAME, &digest, rest);
}

static int want_variable(struct store_parts *parts, const struct set_member *variable)
{
    struct digest name;
    digest_texts(variable->texts, 1, &name);
    const struct value rest[] = {value_id(store_id(parts->intern, TABLE_ENV_NAME, &name)),
                                 value_text(variable->texts[1])};
    return store_want(parts->intern, TABLE_ENV_VALUE, &variable->digest, rest);
}

static size_t read_function(const char *name, struct json_object *value, const char *scope,
                            const char **texts)
{
    (void)name;
    (void)scope;
    texts[0] = json_object_get_string(value);
    return 1;
}

static int want_function(struct store_parts *parts, const struct set_member *function)
{
    const struct value rest[] = {value_text(function->texts[0])};
    return store_want(parts->intern, TABLE_FUNCTION_NAME, &function->digest, rest);
}

static void list_member(struct new_part *fresh, const char *name, struct json_object *value)
{
    struct set_member *member = &fresh->members[fresh->count++];
    size_t texts = part_tables[fresh->kind].read(name, value, fresh->scope, member->texts);
    digest_texts(member->texts, texts, &member->digest);
}

/* Lists the members of the set, each with its digest. */
static int list_members(struct store_parts *parts, struct new_part *fresh)
{
    struct json_object *set = fresh->part->value;
    const bool is_array = json_object_is_type(set, json_type_array);
    size_t count =
        is_array ? json_object_array_length(set) : (size_t)json_object_object_length(set);
    fresh->members = calloc(count + 1, sizeof *fresh->members);
    if (fresh->members == NULL)
        return store_refuse(parts->on, -ENOMEM, "out of memory");
    for (size_t i = 0; is_array && i < count; i++)
        list_member(fresh, NULL, json_object_array_get_idx(set, i));
    if (is_array)
        return 0;
    json_object_object_foreach(set, name, value) list_member(fresh, name, value);
    return 0;
}

/* ---- Parts that are not known --------------------------------------------------------------- */

static int want_build(struct store_parts *parts, const struct record_part *part,
                      struct digest *digest)
{
    struct build_record build;
    struct value rest[BUILD_FIELDS];
    load_build(part, &build);
    for (size_t i = 0; i < BUILD_FIELDS; i++)
        rest[i] = store_value(&build_fields.field[i], &build);
    digest_values(rest, BUILD_FIELDS, digest);
    return store_want(parts->intern, TABLE_BUILD, digest, rest);
}

/* Returns as store_want(). */
static int want_row(struct store_parts *parts, struct new_part *fresh)
{
    if (fresh->kind == PART_BUILD)
        return want_build(parts, fresh->part, &fresh->digest);
    const char *json = canonical_text(fresh->part->value, NULL);
    if (json == NULL)
        return store_refuse(parts->on, -ENOMEM, "out of memory");
    const char *const texts[] = {fresh->scope == NULL ? json : fresh->scope, json};
    digest_texts(texts, fresh->scope == NULL ? 1 : 2, &fresh->digest);
    const struct value rest[] = {value_text(json)};
    return store_want(parts->intern, part_tables[fresh->kind].table, &fresh->digest, rest);
}

int store_want_part(struct store_parts *parts, enum part_kind kind, struct record_part *part,
                    const char *scope)
{
    if (part->text.size == 0 || id_cache_find(&parts->intern->known, &part->digest) != 0)
        return 0;
    if (record_part_complete(part, kind) != 0 ||
        GROW_TO(parts->list, parts->room, parts->count + 1) != 0)
        return store_refuse(parts->on, -ENOMEM, "out of memory");
    if (part->value == NULL)
        return 0;
    struct new_part *fresh = &parts->list[parts->count];
    *fresh = (struct new_part){.kind = kind, .part = part, .scope = scope};
    int wanted = want_row(parts, fresh);
    if (wanted < 0)
        return wanted;
    fresh->is_first = wanted > 0;
    fresh->at = parts->intern->wants[part_tables[kind].table].count - 1;
    parts->count++;
    id_cache_add(&parts->intern->known, &part->digest, STORE_WANTED);
    return 0;
}

int store_part_id(struct store_parts *parts, const struct record_part *part, int64_t *id)
{
    *id = part->text.size == 0 ? 0 : id_cache_find(&parts->intern->known, &part->digest);
    bool is_lost = *id == STORE_WANTED || (*id == 0 && part->value != NULL);
    return is_lost ? store_refuse(parts->on, -ENOMEM, "out of memory") : 0;
}

void store_forget_parts(struct store_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->list[i].members);
    parts->count = 0;
}

void store_free_parts(struct store_parts *parts)
{
    store_forget_parts(parts);
    free(parts->list);
}

/* ---- Settling ------------------------------------------------------------------------------- */

static bool is_missing(const struct store_parts *parts, const struct new_part *fresh)
{
    return fresh->is_first && is_set(fresh->kind) &&
           store_id(parts->intern, part_tables[fresh->kind].table, &fresh->digest) == 0;
}

/* Of the sets of this kind that are not there: the members that are not, or what those need. */
static int want_members(struct store_parts *parts, enum part_kind kind, want_member *want)
{
    int error = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct new_part *fresh = &parts->list[i];
        if (fresh->kind != kind)
            continue;
        for (size_t at = 0; error >= 0 && at < fresh->count; at++)
            if (store_id(parts->intern, part_tables[kind].member_table,
                         &fresh->members[at].digest) == 0)
                error = want(parts, &fresh->members[at]);
    }
    return error < 0 ? error : 0;
}

static int settle_members(struct store_parts *parts, enum part_kind kind)
{
    const struct part_table *table = &part_tables[kind];
    int error = store_find_wanted(parts->intern, table->table);
    for (size_t i = 0; error == 0 && i < parts->count; i++)
        if (parts->list[i].kind == kind && is_missing(parts, &parts->list[i]))
            error = list_members(parts, &parts->list[i]);
    if (error == 0 && table->want_first != NULL)
        error = want_members(parts, kind, table->want_first);
    if (error == 0 && table->want_first != NULL)
        error = store_settle(parts->intern, table->first_table);
    if (error == 0)
        error = want_members(parts, kind, table->want);
    return error == 0 ? store_settle(parts->intern, table->member_table) : error;
}

static int compare_ids(const void *left, const void *right)
{
    const int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
    return one < other ? -1 : one > other;
}

/* The ids of the set's members in order, in `*ids`, which the caller frees. */
static int member_ids(struct store_parts *parts, const struct new_part *fresh, int64_t **ids)
{
    *ids = calloc(fresh->count + 1, sizeof **ids);
    bool is_lost = *ids == NULL;
    for (size_t i = 0; !is_lost && i < fresh->count; i++) {
        (*ids)[i] = store_id(parts->intern, part_tables[fresh->kind].member_table,
                             &fresh->members[i].digest);
        is_lost = (*ids)[i] == 0;
    }
    if (is_lost)
        return store_refuse(parts->on, -ENOMEM, "out of memory");
    qsort(*ids, fresh->count, sizeof **ids, compare_ids);
    return 0;
}

/* By the set, and by the member: at the end of the table, which fills its pages. */
static int compare_rows_of_members(const void *left, const void *right)
{
    const struct value *one = left, *other = right;
    int order = compare_ids(&one[0].whole, &other[0].whole);
    return order != 0 ? order : compare_ids(&one[1].whole, &other[1].whole);
}

static int list_rows(struct store_parts *parts, const struct new_part *fresh, struct value *rows)
{
    CLEANUP_FREE int64_t *ids = NULL;
    int error = member_ids(parts, fresh, &ids);
    for (size_t i = 0; error == 0 && i < fresh->count; i++) {
        rows[2 * i] =
            value_int(store_id(parts->intern, part_tables[fresh->kind].table, &fresh->digest));
        rows[2 * i + 1] = value_int(ids[i]);
    }
    return error;
}

/* Rows of (set, member) of the sets that `missing` says were not there. */
static int write_members(struct store_parts *parts, enum part_kind kind, const bool *missing)
{
    size_t room = 0, count = 0;
    int error = 0;
    for (size_t i = 0; i < parts->count; i++)
        if (missing[i] && parts->list[i].kind == kind)
            room += parts->list[i].count;
    if (room == 0)
        return 0;
    CLEANUP_FREE struct value *rows = calloc(room, 2 * sizeof *rows);
    if (rows == NULL)
        return store_refuse(parts->on, -ENOMEM, "out of memory");
    for (size_t i = 0; error == 0 && i < parts->count; i++) {
        const struct new_part *fresh = &parts->list[i];
        if (!missing[i] || fresh->kind != kind)
            continue;
        error = list_rows(parts, fresh, rows + 2 * count);
        count += fresh->count;
    }
    qsort(rows, count, 2 * sizeof *rows, compare_rows_of_members);
    if (error == 0)
        error = store_write(parts->on, parts->add_member[kind], rows, count);
    return error;
}

enum { DIGITS_MAX = 20 }; /* of an id, with a comma */

static char *write_id(char *at, int64_t id)
{
    char digits[DIGITS_MAX];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + id % 10);
    while ((id /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

/* A set's members as a JSON array of their ids, in `*text`, which the caller frees. */
static int write_list(struct store_parts *parts, const struct new_part *fresh, char **text)
{
    CLEANUP_FREE int64_t *ids = NULL;
    int error = member_ids(parts, fresh, &ids);
    if (error == 0 && (*text = malloc(fresh->count * DIGITS_MAX + 3)) == NULL)
        error = store_refuse(parts->on, -ENOMEM, "out of memory");
    if (error == 0) {
        char *at = *text;
        *at++ = '[';
        for (size_t i = 0; i < fresh->count; i++) {
            if (i > 0)
                *at++ = ',';
            at = write_id(at, ids[i]);
        }
        strcpy(at, "]");
    }
    return error;
}

/* Adds the sets that `missing` says are not there, with their members in the row. */
static int add_listed(struct store_parts *parts, enum part_kind kind, const bool *missing)
{
    struct wants *wants = &parts->intern->wants[part_tables[kind].table];
    char **texts = calloc(parts->count + 1, sizeof *texts);
    int error = texts == NULL ? store_refuse(parts->on, -ENOMEM, "out of memory") : 0;
    for (size_t i = 0; error == 0 && i < parts->count; i++) {
        const struct new_part *fresh = &parts->list[i];
        if (!missing[i] || fresh->kind != kind)
            continue;
        error = write_list(parts, fresh, &texts[i]);
        if (error == 0)
            wants->rows[fresh->at * wants->columns + 1] = value_text(texts[i]);
    }
    if (error == 0)
        error = store_add_wanted(parts->intern, part_tables[kind].table);
    for (size_t i = 0; texts != NULL && i < parts->count; i++)
        free(texts[i]);
    free(texts);
    return error;
}

static int settle_kind(struct store_parts *parts, enum part_kind kind, bool *missing)
{
    if (!is_set(kind))
        return store_settle(parts->intern, part_tables[kind].table);
    int error = settle_members(parts, kind);
    for (size_t i = 0; i < parts->count; i++)
        missing[i] = is_missing(parts, &parts->list[i]);
    if (error == 0 && part_tables[kind].members == NULL)
        return add_listed(parts, kind, missing);
    if (error == 0)
        error = store_add_wanted(parts->intern, part_tables[kind].table);
    return error == 0 ? write_members(parts, kind, missing) : error;
}

int store_settle_parts(struct store_parts *parts)
{
    int error = 0;
    CLEANUP_FREE bool *missing = calloc(parts->count + 1, sizeof *missing);
    if (missing == NULL)
        return store_refuse(parts->on, -ENOMEM, "out of memory");
    for (enum part_kind kind = 0; error == 0 && kind < PART_KINDS; kind++)
        error = settle_kind(parts, kind, missing);
    for (size_t i = 0; error == 0 && i < parts->count; i++) {
        const struct new_part *fresh = &parts->list[i];
        id_cache_add(&parts->intern->known, &fresh->part->digest,
                     store_id(parts->intern, part_tables[fresh->kind].table, &fresh->digest));
    }
    store_forget_parts(parts);
    return error;
}
