/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/canonical.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

static int compare_keys(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The keys of `object` in order, malloc'ed; the strings stay the object's. */
static const char **sorted_keys(struct json_object *object, size_t *count)
{
    const char **keys = calloc((size_t)json_object_object_length(object) + 1, sizeof *keys);
    if (keys == NULL)
        return NULL;
    *count = 0;
    json_object_object_foreach(object, key, value)
    {
        (void)value;
        keys[(*count)++] = key;
    }
    qsort(keys, *count, sizeof *keys, compare_keys);
    return keys;
}

static struct json_object *copy_object(struct json_object *object)
{
    size_t count;
    CLEANUP_FREE const char **keys = sorted_keys(object, &count);
    struct json_object *copy = json_object_new_object();
    if (keys == NULL || copy == NULL)
        goto failed;
    for (size_t i = 0; i < count; i++) {
        struct json_object *value = json_object_object_get(object, keys[i]);
        struct json_object *member = canonical_copy(value);
        if ((value != NULL && member == NULL) ||
            json_object_object_add(copy, keys[i], member) != 0) {
            json_object_put(member);
            goto failed;
        }
    }
    return copy;
failed:
    json_object_put(copy);
    return NULL;
}

static struct json_object *copy_array(struct json_object *array)
{
    struct json_object *copy = json_object_new_array();
    size_t length = json_object_array_length(array);
    for (size_t i = 0; copy != NULL && i < length; i++) {
        struct json_object *value = json_object_array_get_idx(array, i);
        struct json_object *member = canonical_copy(value);
        if ((value != NULL && member == NULL) || json_object_array_add(copy, member) != 0) {
            json_object_put(member);
            json_object_put(copy);
            return NULL;
        }
    }
    return copy;
}

struct json_object *canonical_copy(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_object:
        return copy_object(value);
    case json_type_array:
        return copy_array(value);
    default:
        return json_object_get(value);
    }
}

const char *canonical_text(struct json_object *value, size_t *size)
{
    return json_object_to_json_string_length(
        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, size);
}
