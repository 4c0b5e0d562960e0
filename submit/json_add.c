/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json_add.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void json_add_text(struct json_object *table, const char *key, const char *text)
{
    json_add_bytes(table, key, (struct capture_bytes){.at = text, .size = strlen(text)});
}

void json_add_bytes(struct json_object *table, const char *key, struct capture_bytes bytes)
{
    json_object_object_add(table, key, json_bytes(bytes));
}

void json_add_double(struct json_object *table, const char *key, double value)
{
    char text[64];
    if (value >= 0 &&
        value < 1e11) { /* times and counts: what printf does, in a tenth of the time */
        uint64_t ticks = (uint64_t)(value * 10000 + 0.5);
        snprintf(text, sizeof text, "%" PRIu64 ".%04u", ticks / 10000, (unsigned)(ticks % 10000));
    } else {
        snprintf(text, sizeof text, "%.4f", value);
    }
    json_object_object_add(table, key, json_object_new_double_s(value, text));
}

void json_add_int(struct json_object *table, const char *key, int64_t value)
{
    json_object_object_add(table, key, json_object_new_int64(value));
}

void json_add_optional(struct json_object *table, const char *key, uint32_t value, uint32_t none)
{
    json_object_object_add(table, key, value == none ? NULL : json_object_new_int64(value));
}

struct json_object *json_bytes(struct capture_bytes bytes)
{
    size_t length;
    char *text = text_from_bytes(bytes.at == NULL ? "" : bytes.at, bytes.size, &length);
    if (text == NULL)
        return NULL;
    struct json_object *string = json_object_new_string_len(text, (int)length);
    free(text);
    return string;
}

struct json_object *json_strings(struct capture_bytes bytes)
{
    struct json_object *array = json_object_new_array();
    const char *end = bytes.at == NULL ? NULL : bytes.at + bytes.size;
    for (const char *at = bytes.at; array != NULL && at < end;) {
        size_t length = strnlen(at, (size_t)(end - at));
        json_object_array_add(array, json_bytes((struct capture_bytes){.at = at, .size = length}));
        at += length + 1;
    }
    return array;
}
