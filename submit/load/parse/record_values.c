/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* XALT's numbers are doubles: whole ones are exact up to here. Nothing real is larger, and a
 * report can print any time within. */
#define MAX_WHOLE 9007199254740992.0
#define MAX_REAL  1e11

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
    if (strlen(text) > field->max_bytes)
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

bool record_set_number(const struct record_field *field, void *member, bool known, double number)
{
    if (field->kind == FIELD_REAL) {
        bool is_real = fabs(number) <= MAX_REAL; /* which what is no number is not */
        *(struct record_real *)member =
            (struct record_real){known && is_real, is_real ? number : 0};
        return is_real;
    }
    bool fits = fabs(number) <= MAX_WHOLE && number == floor(number);
    *(struct record_int *)member = (struct record_int){known && fits, fits ? (int64_t)number : 0};
    return fits;
}

static int read_number(const struct record_field *field, struct json_object *value, void *member,
                       struct load_reason *reason)
{
    double number;
    if (json_object_is_type(value, json_type_string) && json_object_get_string_len(value) == 0)
        return 0;
    if (!number_of(value, &number))
        return bad_field(field, "is not a number", reason);
    if (record_set_number(field, member, true, number))
        return 0;
    bool is_fraction = field->kind == FIELD_INT && fabs(number) <= MAX_WHOLE;
    return bad_field(field, is_fraction ? "is not a whole number" : "is out of range", reason);
}

/* XALT 2 wrote Build.UUID for Build_UUID. */
static struct json_object *find_key(struct json_object *table, const char *key)
{
    struct json_object *value;
    char old[32];
    if (json_object_object_get_ex(table, key, &value) || strncmp(key, "Build_", 6) != 0)
        return value;
    snprintf(old, sizeof old, "Build.%s", key + 6);
    return json_object_object_get(table, old);
}

int record_read_value(struct json_object *root, const struct record_field *field, void *fields,
                      struct load_reason *reason)
{
    struct json_object *table = root;
    if (field->table[0] != '\0' && !json_object_object_get_ex(root, field->table, &table))
        return 0;
    if (table != NULL && !json_object_is_type(table, json_type_object))
        return load_refuse(reason, "%s is not an object", field->table);
    struct json_object *value = find_key(table, field->key);
    if (value == NULL)
        return 0;
    void *member = (char *)fields + field->offset;
    return field->kind == FIELD_TEXT ? read_text(field, value, member, reason)
                                     : read_number(field, value, member, reason);
}

int record_read_values(struct json_object *root, const struct record_fields *list, void *fields,
                       struct load_reason *reason)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < list->count; i++)
        error = record_read_value(root, &list->field[i], fields, reason);
    return error;
}

bool record_are_counts(const struct record_int *const *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!counts[i]->known || counts[i]->value < 0 || counts[i]->value > UINT32_MAX)
            return false;
    return true;
}
