/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "submit/load/parse/json_parse.h"

#define BUILD_ID "build-id:" /* before one in the place of a hash */

enum { BUILD_ID_MAX = 128 };

typedef int compare_slots(const void *left, const void *right); /* two struct json_object ** */

/* ---- Sets ----------------------------------------------------------------------------------- */

/* Order and repetition mean nothing in a set, and would only make equal ones differ. Puts `array`
 * and returns a new one, NULL when out of memory. */
static struct json_object *as_set(struct json_object *array, compare_slots *compare)
{
    struct json_object *set = json_object_new_array(), *last = NULL;
    json_object_array_sort(array, compare);
    size_t length = json_object_array_length(array);
    for (size_t i = 0; set != NULL && i < length; i++) {
        struct json_object *member = json_object_array_get_idx(array, i);
        if (last != NULL && compare(&last, &member) == 0)
            continue;
        if (json_object_array_add(set, json_object_get(member)) != 0) {
            json_object_put(member);
            json_object_put(set);
            set = NULL;
        }
        last = member;
    }
    json_object_put(array);
    return set;
}

static const char *member_text(struct json_object *pair, size_t index)
{
    return json_object_get_string(json_object_array_get_idx(pair, index));
}

static bool is_lib(struct json_object *pair)
{
    return json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2 &&
           json_object_is_type(json_object_array_get_idx(pair, 0), json_type_string) &&
           json_object_is_type(json_object_array_get_idx(pair, 1), json_type_string);
}

static int compare_libs(const void *left_slot, const void *right_slot)
{
    struct json_object *left = *(struct json_object *const *)left_slot;
    struct json_object *right = *(struct json_object *const *)right_slot;
    int order = strcmp(member_text(left, 0), member_text(right, 0));
    return order != 0 ? order : strcmp(member_text(left, 1), member_text(right, 1));
}

static int check_libs(struct json_object *libs, const char *key, struct load_reason *reason)
{
    size_t length = json_object_array_length(libs);
    for (size_t i = 0; i < length; i++) {
        struct json_object *lib = json_object_array_get_idx(libs, i);
        if (!is_lib(lib))
            return load_refuse(reason, "%s[%zu] is not [path, hash]", key, i);
        if (strlen(member_text(lib, 0)) > RECORD_TEXT_MAX_BYTES ||
            strlen(member_text(lib, 1)) > RECORD_NAME_MAX_BYTES)
            return load_refuse(reason, "%s[%zu] is too long", key, i);
    }
    return 0;
}

/* A build-id as the linker wrote it, in hexadecimal; "0" is none. */
static bool is_build_id(struct json_object *id)
{
    const char *text = json_object_is_type(id, json_type_string) ? json_object_get_string(id) : "";
    size_t size = strlen(text);
    return size >= 2 && size <= BUILD_ID_MAX && text[strspn(text, "0123456789abcdef")] == '\0';
}

/* Of a library without a hash the build-id takes its place. */
static int add_build_id(struct json_object *lib, struct json_object *id)
{
    char text[sizeof BUILD_ID + BUILD_ID_MAX];
    if (!is_lib(lib) || strcmp(member_text(lib, 1), "0") != 0 || !is_build_id(id))
        return 0;
    snprintf(text, sizeof text, BUILD_ID "%s", json_object_get_string(id));
    struct json_object *hash = json_object_new_string(text);
    if (hash != NULL && json_object_array_put_idx(lib, 1, hash) == 0)
        return 0;
    json_object_put(hash);
    return -ENOMEM;
}

/* The libraries of an object of libA and buildIdA, which is put. */
static int join_build_ids(struct json_object **parsed)
{
    struct json_object *libs = json_object_get(json_object_object_get(*parsed, "libA"));
    struct json_object *ids = json_object_object_get(*parsed, "buildIdA");
    const bool are_arrays =
        json_object_is_type(libs, json_type_array) && json_object_is_type(ids, json_type_array);
    size_t length = are_arrays ? json_object_array_length(libs) : 0;
    int error = 0;
    if (length != (are_arrays ? json_object_array_length(ids) : 0))
        length = 0; /* nobody knows whose they are */
    for (size_t i = 0; error == 0 && i < length; i++)
        error = add_build_id(json_object_array_get_idx(libs, i), json_object_array_get_idx(ids, i));
    json_object_put(*parsed);
    *parsed = libs;
    return error;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(json_object_get_string(*(struct json_object *const *)left),
                  json_object_get_string(*(struct json_object *const *)right));
}

static int check_names(struct json_object *names, const char *key, struct load_reason *reason)
{
    size_t length = json_object_array_length(names);
    for (size_t i = 0; i < length; i++) {
        struct json_object *name = json_object_array_get_idx(names, i);
        if (!json_object_is_type(name, json_type_string))
            return load_refuse(reason, "%s[%zu] is not a text", key, i);
        if (json_object_get_string_len(name) > RECORD_TEXT_MAX_BYTES)
            return load_refuse(reason, "%s[%zu] is too long", key, i);
    }
    return 0;
}

static int check_environment(struct json_object *variables, const char *key,
                             struct load_reason *reason)
{
    json_object_object_foreach(variables, name, value)
    {
        (void)value;
        if (strlen(name) > RECORD_TEXT_MAX_BYTES)
            return load_refuse(reason, "%s has a name that is too long", key);
    }
    return 0;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static const struct part_type {
    enum json_type type;
    int (*check)(struct json_object *value, const char *key, struct load_reason *reason);
    compare_slots *compare; /* of a set */
} part_types[] = {
    [PART_LIBS] = {json_type_array, check_libs, compare_libs},
    [PART_ENVIRONMENT] = {json_type_object, check_environment, NULL},
    [PART_ANCESTORS] = {json_type_array, NULL, NULL},
    [PART_BUILD] = {json_type_object, NULL, NULL},
    [PART_FUNCTIONS] = {json_type_array, check_names, compare_names},
};

/* Pids were taken out of the text, which left zeros. */
static void remove_pids(struct json_object *ancestors)
{
    size_t length = json_object_array_length(ancestors);
    for (size_t i = 0; i < length; i++) {
        struct json_object *ancestor = json_object_array_get_idx(ancestors, i);
        if (json_object_is_type(ancestor, json_type_object))
            json_object_object_del(ancestor, "pid");
    }
}

static int parse_part(struct record_part *part, enum part_kind kind, const char *key,
                      struct load_reason *reason)
{
    const struct part_type *type = &part_types[kind];
    struct json_object *parsed = NULL;
    int error = json_parse(part->text.at, part->text.size, &parsed, &part->bytes, reason);
    if (error == 0 && parsed == NULL)
        return 0;
    if (error == 0 && kind == PART_LIBS && json_object_is_type(parsed, json_type_object))
        error = join_build_ids(&parsed);
    if (error == 0 && !json_object_is_type(parsed, type->type))
        error = load_refuse(reason, "%s is not an %s", key, json_type_to_name(type->type));
    if (error == 0 && type->check != NULL)
        error = type->check(parsed, key, reason);
    if (error == 0 && kind == PART_ANCESTORS)
        remove_pids(parsed);
    if (error == 0) {
        part->value = canonical_copy(parsed);
        if (part->value != NULL && type->compare != NULL)
            part->value = as_set(part->value, type->compare);
        error = part->value == NULL ? -ENOMEM : 0;
    }
    json_object_put(parsed);
    return error;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

int record_part_read(struct record_part *part, enum part_kind kind, const char *key,
                     const char *scope, struct json_slice slice, struct id_cache *seen,
                     struct load_reason *reason)
{
    if (slice.size == 0 || (slice.size == 4 && memcmp(slice.at, "null", 4) == 0))
        return 0;
    part->text = slice;
    const unsigned char kind_byte = (unsigned char)kind;
    const void *pieces[] = {&kind_byte, scope == NULL ? "" : scope, part->text.at};
    const size_t sizes[] = {1, strlen(pieces[1]), part->text.size};
    hash_pieces(pieces, sizes, 3, &part->digest);
    if (seen != NULL && id_cache_find(seen, &part->digest) != 0)
        return 0;
    int error = parse_part(part, kind, key, reason);
    if (error == 0 && seen != NULL)
        id_cache_add(seen, &part->digest, 1);
    return error;
}

int record_part_complete(struct record_part *part, enum part_kind kind)
{
    struct load_reason impossible; /* the same text was good before */
    return part->text.size == 0 || part->value != NULL ? 0
                                                       : parse_part(part, kind, "", &impossible);
}
