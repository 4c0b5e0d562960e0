/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load_record.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canonical.h"
#include "record_crc.h"
#include "text.h"

#define MAX_DEPTH 32

/* XALT's numbers are doubles: whole ones are exact up to here. Nothing real is larger, and a
 * report can print any time within. */
#define MAX_WHOLE 9007199254740992.0
#define MAX_REAL  1e11

/* ---- Plain values ------------------------------------------------------------------------- */

static int bad_field(const struct record_field *field, const char *trouble,
                     struct load_reason *reason)
{
    const char *dot = field->table[0] == '\0' ? "" : ".";
    return load_refuse(reason, "%s%s%s %s", field->table, dot, field->key, trouble);
}

static int read_text(const struct record_field *field, struct json_object *value, void *member,
                     struct load_reason *reason)
{
    enum json_type type = json_object_get_type(value);
    if (type != json_type_string && type != json_type_int && type != json_type_double)
        return bad_field(field, "is not a text", reason);
    const char *text = json_object_get_string(value);
    if (text == NULL)
        return -ENOMEM;
    if (strlen(text) > RECORD_TEXT_MAX_BYTES)
        return bad_field(field, "is too long", reason);
    *(const char **)member = text;
    return 0;
}

/* The number that `value` is or, as a string, spells. */
static bool number_of(struct json_object *value, double *number)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
    case json_type_int:
    case json_type_double:
        *number = json_object_get_double(value);
        return true;
    case json_type_string: {
        char *end;
        const char *text = json_object_get_string(value);
        *number = strtod(text, &end);
        return end != text && *end == '\0';
    }
    default:
        return false;
    }
}

static bool is_empty_string(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) && json_object_get_string_len(value) == 0;
}

static int read_number(const struct record_field *field, struct json_object *value, void *member,
                       struct load_reason *reason)
{
    double number;
    if (is_empty_string(value))
        return 0;
    if (!number_of(value, &number))
        return bad_field(field, "is not a number", reason);
    if (!(fabs(number) <= (field->kind == RECORD_INT ? MAX_WHOLE : MAX_REAL)))
        return bad_field(field, "is out of range", reason);
    if (field->kind == RECORD_REAL) {
        *(struct record_real *)member = (struct record_real){true, number};
        return 0;
    }
    if (number != floor(number))
        return bad_field(field, "is not a whole number", reason);
    *(struct record_int *)member = (struct record_int){true, (int64_t)number};
    return 0;
}

/* A watermark is whatever the executable's owner put there: nonsense in it is no reason to lose the
 * run. */
static bool is_watermark(const struct record_field *field)
{
    return strcmp(field->table, "xaltLinkT") == 0;
}

/* Into the record, from the table of the field or, for "", the top of the record. */
static int read_field(struct run_record *record, const struct record_field *field,
                      struct load_reason *reason)
{
    struct json_object *table = record->root, *value;
    if (field->table[0] != '\0' && !json_object_object_get_ex(record->root, field->table, &table))
        return 0;
    if (table != NULL && !json_object_is_type(table, json_type_object))
        return load_refuse(reason, "%s is not an object", field->table);
    if (!json_object_object_get_ex(table, field->key, &value) || value == NULL)
        return 0;
    void *member = (char *)record + field->offset;
    int error = field->kind == RECORD_TEXT ? read_text(field, value, member, reason)
                                           : read_number(field, value, member, reason);
    return error == -EBADMSG && is_watermark(field) ? 0 : error;
}

static int read_fields(struct run_record *record, struct load_reason *reason)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < record_field_count; i++)
        error = read_field(record, &record_fields[i], reason);
    return error;
}

/* ---- Lists -------------------------------------------------------------------------------- */

/* A canonical copy of the value `key`, which must have the type; NULL when it is absent. */
static int read_list(struct json_object *root, const char *key, enum json_type type,
                     struct json_object **list, struct load_reason *reason)
{
    struct json_object *value = json_object_object_get(root, key);
    if (value == NULL)
        return 0;
    if (!json_object_is_type(value, type))
        return load_refuse(reason, "%s is not an %s", key, json_type_to_name(type));
    *list = canonical_copy(value);
    return *list == NULL ? -ENOMEM : 0;
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

static int compare_libs(struct json_object *left, struct json_object *right)
{
    int order = strcmp(member_text(left, 0), member_text(right, 0));
    return order != 0 ? order : strcmp(member_text(left, 1), member_text(right, 1));
}

static int compare_slots(const void *left, const void *right)
{
    return compare_libs(*(struct json_object *const *)left, *(struct json_object *const *)right);
}

static int check_libs(struct json_object *libs, struct load_reason *reason)
{
    size_t length = json_object_array_length(libs);
    for (size_t i = 0; i < length; i++)
        if (!is_lib(json_object_array_get_idx(libs, i)))
            return load_refuse(reason, "libA[%zu] is not [path, hash]", i);
    return 0;
}

/* A new array with each of the libraries once; NULL when out of memory. */
static struct json_object *distinct_libs(struct json_object *sorted)
{
    struct json_object *distinct = json_object_new_array(), *last = NULL;
    size_t length = json_object_array_length(sorted);
    for (size_t i = 0; distinct != NULL && i < length; i++) {
        struct json_object *lib = json_object_array_get_idx(sorted, i);
        if (last != NULL && compare_libs(last, lib) == 0)
            continue;
        if (json_object_array_add(distinct, json_object_get(lib)) != 0) {
            json_object_put(lib);
            json_object_put(distinct);
            return NULL;
        }
        last = lib;
    }
    return distinct;
}

/* libA as a set: order and repetition mean nothing, and would only make equal sets differ. */
static int read_libs(struct run_record *record, struct load_reason *reason)
{
    struct json_object *libs = NULL;
    int error = read_list(record->root, "libA", json_type_array, &libs, reason);
    if (error == 0 && libs != NULL)
        error = check_libs(libs, reason);
    if (error == 0 && libs != NULL) {
        json_object_array_sort(libs, compare_slots);
        record->libs = distinct_libs(libs);
        error = record->libs == NULL ? -ENOMEM : 0;
    }
    json_object_put(libs);
    return error;
}

static int read_lists(struct run_record *record, struct load_reason *reason)
{
    struct json_object *root = record->root;
    int error = read_list(root, "cmdlineA", json_type_array, &record->cmdline, reason);
    if (error == 0)
        error = read_libs(record, reason);
    if (error == 0)
        error = read_list(root, "envT", json_type_object, &record->environment, reason);
    if (error == 0)
        error = read_list(root, "ptA", json_type_array, &record->ancestors, reason);
    return error;
}

/* ---- The record --------------------------------------------------------------------------- */

static bool is_uuid(const char *text)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    for (size_t i = 0; i < sizeof form; i++) {
        bool fits = form[i] == 'x' ? isxdigit((unsigned char)text[i]) != 0 : text[i] == form[i];
        if (!fits)
            return false;
    }
    return true;
}

/* XALT names the job in userT alone; at some sites not as a bare number. */
static void derive_job_id(struct run_record *record)
{
    const char *text = record->job_id;
    if (record->job_id_raw.known || text == NULL || text[0] == '\0')
        return;
    if (strlen(text) <= 15 && text[strspn(text, "0123456789")] == '\0')
        record->job_id_raw = (struct record_int){true, strtoll(text, NULL, 10)};
}

/* A start record says end_time 0.0 and knows no source of its end. */
static void derive_end(struct run_record *record)
{
    bool has_end = record->end_time.known && record->end_time.value > 0;
    record->is_start_only = !has_end && record->end_source == NULL;
    if (!has_end) {
        record->end_time.known = false;
        record->run_time.known = false;
    }
}

static int parse_json(const char *text, size_t size, struct json_object **root,
                      struct load_reason *reason)
{
    struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
    if (tokener == NULL)
        return -ENOMEM;
    struct json_object *parsed = json_tokener_parse_ex(tokener, text, (int)size);
    enum json_tokener_error trouble = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);

    if (trouble == json_tokener_continue)
        return load_refuse(reason, "JSON is cut short");
    if (trouble != json_tokener_success)
        return load_refuse(reason, "JSON is damaged at byte %zu: %s", end,
                           json_tokener_error_desc(trouble));
    if (end + strspn(text + end, " \t\r\n") != size ||
        !json_object_is_type(parsed, json_type_object)) {
        json_object_put(parsed);
        return load_refuse(reason, "is not one JSON object");
    }
    *root = parsed;
    return 0;
}

/* No path or argument holds a NUL, and no C string could: U+FFFD stands for it. */
static void replace_escaped_nuls(char *json)
{
    for (char *at = strchr(json, '\\'); at != NULL; at = strchr(at, '\\')) {
        if (strncmp(at, "\\u0000", 6) == 0)
            memcpy(at, "\\ufffd", 6);
        at += at[1] == '\0' ? 1 : 2; /* the second of two backslashes starts no escape */
    }
}

/* Bytes that are not UTF-8, which other writers may leave in, are mapped as in our own records. */
static int parse_any_bytes(const char *bytes, size_t size, struct json_object **root,
                           struct load_reason *reason)
{
    size_t length;
    char *text = text_from_bytes(bytes, size, &length);
    if (text == NULL)
        return -ENOMEM;
    replace_escaped_nuls(text);
    int error = parse_json(text, length, root, reason);
    free(text);
    return error;
}

int load_record(const char *text, size_t size, struct run_record *record,
                struct load_reason *reason)
{
    struct run_record parsed = {0};
    int error = record_crc_check(text, size, reason);
    if (error == 0)
        error = parse_any_bytes(text, size, &parsed.root, reason);
    if (error == 0)
        error = read_fields(&parsed, reason);
    if (error == 0 && (parsed.uuid == NULL || !is_uuid(parsed.uuid)))
        error = load_refuse(reason, "userT.run_uuid is not a uuid");
    if (error == 0)
        error = read_lists(&parsed, reason);
    if (error != 0) {
        load_record_free(&parsed);
        return error;
    }
    derive_job_id(&parsed);
    derive_end(&parsed);
    *record = parsed;
    return 0;
}

void load_record_free(struct run_record *record)
{
    json_object_put(record->cmdline);
    json_object_put(record->libs);
    json_object_put(record->environment);
    json_object_put(record->ancestors);
    json_object_put(record->root);
}
