/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/xalt_strict.h"

#include <errno.h>
#include <json-c/json.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"
#include "submit/record/record.h"

/* Characters that a cut value's end has. */
enum { CUT_END = 9 };

enum { PATH_CHARACTERS = 1024, HASH_CHARACTERS = 40, ANY_CHARACTERS = 1 << 30 };

/* Of variables. A value has 65535 bytes: as many characters of three bytes as fit into them. */
enum { NAME_CHARACTERS = 64, VALUE_CHARACTERS = 65535 / 3 };

enum { FUNCTION_CHARACTERS = 255 };

/* A string at the top (table "") or in a table of a record, and how many characters XALT's column
 * for it has (py_src/createDB.in.py of XALT 3.2.4). Values that the loaders cut themselves are here
 * too: they would cut without a mark. */
struct column {
    const char *table, *key;
    size_t most;
};

/* clang-format off */
static const struct column run_columns[] = {
    {"", "hash_id", HASH_CHARACTERS},
    {"userT", "account", 20},
    {"userT", "container", 32},
    {"userT", "cwd", PATH_CHARACTERS},
    {"userT", "exec_path", PATH_CHARACTERS},
    {"userT", "job_id", 64},
    {"userT", "queue", 64},
    {"userT", "syshost", 64},
    {"userT", "user", 32},
    {"xaltLinkT", "Build_UUID", 36},
    {NULL, NULL, 0},
};

static const struct column link_columns[] = {
    {"resultT", "build_syshost", 64},
    {"resultT", "build_user", 64},
    {"resultT", "exec_path", PATH_CHARACTERS},
    {"resultT", "hash_id", HASH_CHARACTERS},
    {"resultT", "link_path", PATH_CHARACTERS},
    {"resultT", "link_program", 64},
    {"resultT", "wd", PATH_CHARACTERS},
    {NULL, NULL, 0},
};

/* ownerT has no column: jobtrail-load compares its user with that of the run. */
static const struct column package_columns[] = {
    {"", "package_name", 64},
    {"", "package_path", PATH_CHARACTERS},
    {"", "package_version", 32},
    {"", "program", 12},
    {"ownerT", "user", 32},
    {NULL, NULL, 0},
};
/* clang-format on */

/* The address of the character behind the first `count` of valid UTF-8; NULL when it has no more
 * than these. */
static char *behind(char *utf8, size_t count)
{
    for (; *utf8 != '\0'; utf8++) {
        if (((unsigned char)*utf8 & 0xc0) != 0x80 && count-- == 0)
            return utf8;
    }
    return NULL;
}

/* Ends a text that has more than `most` characters. */
static void cut(char *text, size_t most)
{
    unsigned char digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx context;
    char *end = behind(text, most - CUT_END);
    sha256_init(&context);
    sha256_update(&context, strlen(text), (const uint8_t *)text);
    sha256_digest(&context, sizeof digest, digest);
    *end++ = '~'; /* CUT_END characters or more are cut, so that there is room */
    text_hex(digest, (CUT_END - 1) / 2, end);
}

/* `*fitted`: the text as it fits, malloc'ed; NULL when it does as it is. */
static int fit_text(const char *text, size_t most, char **fitted)
{
    CLEANUP_FREE char *found = text_basic_plane(text);
    if (found == NULL)
        return -ENOMEM;
    if (behind(found, most) != NULL)
        cut(found, most);
    bool is_changed = strcmp(found, text) != 0;
    *fitted = is_changed ? found : NULL;
    if (is_changed)
        found = NULL;
    return 0;
}

/* A string in place. What is none, or is not there, stays. */
static int fit_string(struct json_object *string, size_t most, bool *is_changed)
{
    CLEANUP_FREE char *fitted = NULL;
    if (!json_object_is_type(string, json_type_string))
        return 0;
    int error = fit_text(json_object_get_string(string), most, &fitted);
    if (error != 0 || fitted == NULL)
        return error;
    *is_changed = true;
    return json_object_set_string(string, fitted) == 1 ? 0 : -ENOMEM;
}

static int fit_columns(struct json_object *record, const struct column *column, bool *is_changed)
{
    int error = 0;
    for (; column->key != NULL && error == 0; column++) {
        struct json_object *table =
            column->table[0] == '\0' ? record : json_object_object_get(record, column->table);
        error = fit_string(json_object_object_get(table, column->key), column->most, is_changed);
    }
    return error;
}

static int fit_strings(struct json_object *array, size_t most, bool *is_changed)
{
    size_t count =
        json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error = fit_string(json_object_array_get_idx(array, i), most, is_changed);
    return error;
}

/* [[PATH, HASH], ...] */
static int fit_objects(struct json_object *array, bool *is_changed)
{
    size_t count =
        json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        struct json_object *object = json_object_array_get_idx(array, i);
        if (!json_object_is_type(object, json_type_array))
            continue;
        error = fit_string(json_object_array_get_idx(object, 0), PATH_CHARACTERS, is_changed);
        if (error == 0)
            error = fit_string(json_object_array_get_idx(object, 1), HASH_CHARACTERS, is_changed);
    }
    return error;
}

/* {NAME: VALUE, ...}: a table whose names fit in the record's place. */
static int fit_variables(struct json_object *record, bool *is_changed)
{
    struct json_object *table = json_object_object_get(record, "envT");
    struct json_object *fitted = json_object_new_object();
    int error = fitted == NULL ? -ENOMEM : 0;
    if (!json_object_is_type(table, json_type_object)) {
        json_object_put(fitted);
        return error;
    }
    json_object_object_foreach(table, name, value)
    {
        CLEANUP_FREE char *fit = NULL;
        if (error == 0)
            error = fit_text(name, NAME_CHARACTERS, &fit);
        if (error == 0)
            error = fit_string(value, VALUE_CHARACTERS, is_changed);
        if (error == 0 &&
            json_object_object_add(fitted, fit == NULL ? name : fit, json_object_get(value)) != 0)
            error = -ENOMEM;
        *is_changed = *is_changed || fit != NULL;
    }
    if (error == 0 && json_object_object_add(record, "envT", fitted) == 0)
        return 0;
    json_object_put(fitted);
    return error == 0 ? -ENOMEM : error;
}

static int fit_run(struct json_object *record, bool *is_changed)
{
    int error = fit_columns(record, run_columns, is_changed);
    if (error == 0)
        error = fit_objects(json_object_object_get(record, "libA"), is_changed);
    return error == 0 ? fit_variables(record, is_changed) : error;
}

static int fit_link(struct json_object *record, bool *is_changed)
{
    int error = fit_columns(record, link_columns, is_changed);
    if (error == 0)
        error = fit_objects(json_object_object_get(record, "linkA"), is_changed);
    if (error == 0)
        error = fit_strings(json_object_object_get(record, "function"), FUNCTION_CHARACTERS,
                            is_changed);
    if (error == 0)
        error =
            fit_strings(json_object_object_get(record, "link_line"), ANY_CHARACTERS, is_changed);
    return error;
}

static int fit_record(enum record_kind kind, struct json_object *record, bool *is_changed)
{
    switch (kind) {
    case RECORD_RUN:
        return fit_run(record, is_changed);
    case RECORD_LINK:
        return fit_link(record, is_changed);
    case RECORD_PACKAGE:
        return fit_columns(record, package_columns, is_changed);
    case RECORD_COVERAGE:
    case RECORD_LIBRARY:
    case RECORD_RANKS:
    case RECORD_PROFILE:
    case RECORD_KINDS:
        break;
    }
    return 0;
}

/* NULL when the text is no object that begins as ours do. */
static struct json_object *parse(const struct record_view *record)
{
    static const char head[] = "{\"crc\":\"0x";
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *object = NULL;
    if (tokener != NULL && record->length > sizeof head && record->length < INT32_MAX &&
        memcmp(record->text, head, sizeof head - 1) == 0)
        object = json_tokener_parse_ex(tokener, record->text, (int)record->length);
    if (tokener != NULL)
        json_tokener_free(tokener);
    return object;
}

int xalt_strict_fit(const struct record_view *record, char **text, size_t *length)
{
    bool is_changed = false;
    struct built_record built = {.text = NULL};
    struct json_object *object = parse(record);
    int error = object == NULL ? 0 : fit_record(record->kind, object, &is_changed);
    if (error == 0 && is_changed) {
        json_object_object_add(object, "crc", json_object_new_string("0xFFFF"));
        error = record_finish(object, &built);
    }
    json_object_put(object);
    if (error != 0)
        return error;
    *text = built.text;
    *length = built.length;
    return 0;
}
