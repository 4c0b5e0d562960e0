/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/json_parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

#define MAX_DEPTH 32
#define MAX_BYTES (64u << 20)

/* What json-c 0.16 takes for each. */
#define OBJECT_BYTES 800u
#define ARRAY_BYTES  160u
#define VALUE_BYTES  220u /* a member of an object, with a short text */

/* A few bytes of text can become a thousand of memory. */
static size_t bytes_of(const char *text, size_t size)
{
    size_t bytes = size + VALUE_BYTES;
    bool in_string = false;
    for (const char *at = text; at < text + size; at++) {
        if (*at == '\\')
            at++;
        else if (*at == '"')
            in_string = !in_string;
        else if (!in_string)
            bytes += *at == '{'   ? OBJECT_BYTES
                     : *at == '[' ? ARRAY_BYTES
                     : *at == ',' ? VALUE_BYTES
                                  : 0;
    }
    return bytes;
}

int json_parse(const char *text, size_t size, struct json_object **parsed, size_t *bytes,
               struct load_reason *reason)
{
    static _Thread_local struct json_tokener *tokener; /* made once: larger than most texts */
    if (tokener == NULL)
        tokener = json_tokener_new_ex(MAX_DEPTH);
    if (tokener == NULL)
        return -ENOMEM;
    size_t needed = bytes_of(text, size);
    if (*bytes + needed > MAX_BYTES)
        return load_refuse(reason, "has too many values");
    json_tokener_reset(tokener);
    struct json_object *value = json_tokener_parse_ex(tokener, text, (int)size + 1);
    enum json_tokener_error trouble = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    if (trouble == json_tokener_continue || trouble == json_tokener_error_parse_eof)
        return load_refuse(reason, "JSON is cut short");
    if (trouble != json_tokener_success)
        return load_refuse(reason, "JSON is damaged at byte %zu: %s", end,
                           json_tokener_error_desc(trouble));
    /* json-c takes a comment for blanks, and the byte after the text for the comment's. */
    if (end < size && end + strspn(text + end, " \t\r\n") < size) {
        json_object_put(value);
        return load_refuse(reason, "is not one JSON object");
    }
    *parsed = value;
    *bytes += needed;
    return 0;
}

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
