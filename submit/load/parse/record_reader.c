/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_reader.h"

#include <errno.h>
#include <string.h>

#include "conf/base/uuid7.h"
#include "submit/load/parse/json_parse.h"
#include "submit/load/parse/record_plain.h"

/* How the value of each key is read. */
static const enum {
    TABLE,
    VALUE,
    LIST,
    PASSED
} readings[RECORD_TOPS] = {
#define RECORD_TOP(kind, key, form, reading) [RECORD_TOP_##key] = (reading),
#include "submit/definition/keys.def"
};

int record_parse(struct record_reader *reader, struct json_slice value, struct json_object **parsed)
{
    return json_parse(value.at, value.size, parsed, &reader->record->root_bytes, reader->reason);
}

/* Into the tree of values. */
static int parse_top(struct record_reader *reader, enum record_top top)
{
    struct json_object *root = reader->record->root, *parsed;
    int error = record_parse(reader, reader->top[top], &parsed);
    if (error != 0)
        return error;
    return json_object_object_add(root, record_top_name(top), parsed) == 0 ? 0 : -ENOMEM;
}

/* What no record has is not kept, but has to be JSON. */
static int note_member(struct record_reader *reader, struct json_slice key, struct json_slice value)
{
    int top = record_keys_note(&reader->keys, key.at, key.size);
    bool is_plain =
        (top >= 0 && readings[top] != VALUE) || is_plain_value(value) || is_plain_array(value);
    struct json_object *unknown = NULL;
    reader->is_plain &= is_plain;
    if (top >= 0 && reader->top[top].size == 0)
        reader->top[top] = value;
    int error = top >= 0 || is_plain ? 0 : record_parse(reader, value, &unknown);
    json_object_put(unknown);
    return error;
}

int record_read_members(const char *text, size_t size, struct record_reader *reader)
{
    struct json_members members;
    struct json_slice key, value;
    enum json_step step = JSON_BAD;
    int error = 0;
    if (json_members_open(&members, text, size))
        while ((step = json_members_next(&members, &key, &value)) == JSON_MEMBER && error == 0)
            error = note_member(reader, key, value);
    return step == JSON_BAD ? -EBADMSG : error;
}

int record_parse_values(struct record_reader *reader)
{
    int error = 0;
    reader->record->root = json_object_new_object();
    if (reader->record->root == NULL)
        return -ENOMEM;
    for (enum record_top top = 0; error == 0 && top < RECORD_TOPS; top++)
        if (reader->top[top].size > 0 && readings[top] < LIST)
            error = parse_top(reader, top);
    return error;
}

int record_check_uuid(char *text, const char *key, struct load_reason *reason)
{
    uuid_t uuid;
    if (text == NULL || uuid_parse(text, uuid) != 0)
        return load_refuse(reason, "%s is not a uuid", key);
    uuid_unparse_lower(uuid, text);
    return 0;
}

int record_read_array(struct record_reader *reader, enum record_top top, const char **text)
{
    const char *key = record_top_name(top);
    struct record *record = reader->record;
    struct json_slice slice = reader->top[top];
    if (slice.size == 0)
        return 0;
    if (is_plain_array(slice)) {
        *text = record->list_text = strndup(slice.at, slice.size);
        return *text == NULL ? -ENOMEM : 0;
    }
    if (record->root == NULL && (record->root = json_object_new_object()) == NULL)
        return -ENOMEM;
    int error = parse_top(reader, top);
    struct json_object *array = json_object_object_get(record->root, key);
    if (error != 0 || array == NULL)
        return error;
    if (!json_object_is_type(array, json_type_array))
        return load_refuse(reader->reason, "%s is not an array", key);
    *text = canonical_text(array, NULL);
    return *text == NULL ? -ENOMEM : 0;
}

int record_read_part(const struct record_reader *reader, struct record_part *part,
                     enum part_kind kind, enum record_top top, const char *scope)
{
    return record_part_read(part, kind, record_top_name(top), scope, reader->top[top], reader->seen,
                            reader->reason);
}
