/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/json_add.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/elf_segments.h"
#include "conf/base/text.h"

void json_add(struct json_object *table, const char *key, struct json_object *value)
{
    json_object_object_add_ex(table, key, value,
                              JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT);
}

void json_add_text(struct json_object *table, const char *key, const char *text)
{
    json_add_bytes(table, key, text_bytes(text));
}

void json_add_bytes(struct json_object *table, const char *key, struct capture_bytes bytes)
{
    json_add(table, key, json_bytes(bytes));
}

void json_decimals(double value, int decimals, char text[JSON_DECIMALS_SIZE])
{
    char digits[24], *at = digits + sizeof digits;
    double scale = decimals == 4 ? 1e4 : 1e6;
    if (!(value >= 0 && value < 1e11)) {
        snprintf(text, JSON_DECIMALS_SIZE, "%.*f", decimals, value);
        return;
    }
    uint64_t ticks = (uint64_t)(value * scale + 0.5);
    for (int i = 0; i <= decimals + 1 || ticks > 0; i++) {
        *--at = i == decimals ? '.' : (char)('0' + ticks % 10);
        ticks /= i == decimals ? 1 : 10;
    }
    memcpy(text, at, (size_t)(digits + sizeof digits - at));
    text[digits + sizeof digits - at] = '\0';
}

void json_exact(double value, char text[JSON_DECIMALS_SIZE])
{
    int digits = 15;
    do
        snprintf(text, JSON_DECIMALS_SIZE, "%.*g", digits, value);
    while (strtod(text, NULL) != value && ++digits <= 17);
    if (strchr(text, 'e') != NULL)
        snprintf(text, JSON_DECIMALS_SIZE, "%.*f", value < 1 ? 40 : 1, value);
    else if (strchr(text, '.') == NULL)
        strcat(text, ".0");
}

void json_add_exact(struct json_object *table, const char *key, double value)
{
    char text[JSON_DECIMALS_SIZE];
    json_exact(value, text);
    json_add(table, key, json_object_new_double_s(value, text));
}

static void add_decimals(struct json_object *table, const char *key, double value, int decimals)
{
    char text[JSON_DECIMALS_SIZE];
    json_decimals(value, decimals, text);
    json_add(table, key, json_object_new_double_s(value, text));
}

void json_add_double(struct json_object *table, const char *key, double value)
{
    add_decimals(table, key, value, 4);
}

void json_add_measured(struct json_object *table, const char *key, double seconds)
{
    add_decimals(table, key, seconds, 6);
}

void json_add_int(struct json_object *table, const char *key, int64_t value)
{
    json_add(table, key, json_object_new_int64(value));
}

void json_add_optional(struct json_object *table, const char *key, uint32_t value, uint32_t none)
{
    json_add(table, key, value == none ? NULL : json_object_new_int64(value));
}

const char *json_text(struct json_object *object)
{
    return json_object_to_json_string_ext(object,
                                          JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

double json_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

struct json_object *json_build_id(struct capture_bytes id)
{
    char text[2 * BUILD_ID_MAX + 1] = "0";
    if (id.at != NULL && id.size > 0)
        text_hex(id.at, id.size < BUILD_ID_MAX ? id.size : BUILD_ID_MAX, text);
    return json_object_new_string(text);
}

struct capture_bytes text_bytes(const char *text)
{
    return (struct capture_bytes){.at = text, .size = strlen(text)};
}

void copy_bytes(struct capture_bytes bytes, char *text, size_t size)
{
    size_t length = bytes.at == NULL ? 0 : bytes.size < size ? bytes.size : size - 1;
    if (length > 0)
        memcpy(text, bytes.at, length);
    text[length] = '\0';
}

struct json_object *json_bytes(struct capture_bytes bytes)
{
    size_t length;
    if (text_is_ascii(bytes.at, bytes.size))
        return json_object_new_string_len(bytes.at == NULL ? "" : bytes.at, (int)bytes.size);
    char *text = text_from_bytes(bytes.at, bytes.size, &length);
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
