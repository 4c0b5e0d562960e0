/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coverage_load.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "record_crc.h"

enum { HEAD_BYTES = 64, TEXT_MAX_BYTES = 65535 };

bool coverage_load_is_one(const char *text, size_t size)
{
    static const char key[] = "\"coverageT\"";
    return memmem(text, size < HEAD_BYTES ? size : HEAD_BYTES, key, sizeof key - 1) != NULL;
}

static bool is_plain(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
    case json_type_int:
    case json_type_double:
        return true;
    case json_type_string:
        return json_object_get_string_len(value) <= TEXT_MAX_BYTES;
    default:
        return false;
    }
}

static int check_table(struct json_object *table, const char *name, struct load_reason *reason)
{
    if (!json_object_is_type(table, json_type_object))
        return load_refuse(reason, "%s is not an object", name);
    json_object_object_foreach(table, key, value)
    {
        (void)key;
        if (!is_plain(value))
            return load_refuse(reason, "%s has a value of a wrong type", name);
    }
    return 0;
}

static int check_facts(struct json_object *facts, struct load_reason *reason)
{
    if (!json_object_is_type(facts, json_type_array))
        return load_refuse(reason, "coverageA is not an array");
    size_t count = json_object_array_length(facts);
    for (size_t i = 0; i < count; i++) {
        struct json_object *fact = json_object_array_get_idx(facts, i);
        int error = check_table(fact, "a fact of coverageA", reason);
        if (error != 0)
            return error;
        if (!json_object_is_type(json_object_object_get(fact, "outcome"), json_type_string) ||
            !json_object_is_type(json_object_object_get(fact, "tasks"), json_type_int))
            return load_refuse(reason, "coverageA[%zu] has no outcome or no tasks", i);
    }
    return 0;
}

static int check(struct coverage_load *record, struct load_reason *reason)
{
    record->job = json_object_object_get(record->root, "coverageT");
    record->facts = json_object_object_get(record->root, "coverageA");
    int error = check_table(record->job, "coverageT", reason);
    if (error == 0)
        error = check_facts(record->facts, reason);
    if (error != 0)
        return error;
    struct json_object *uuid = json_object_object_get(record->job, "uuid");
    if (!json_object_is_type(uuid, json_type_string) || json_object_get_string_len(uuid) != 36)
        return load_refuse(reason, "coverageT.uuid is not a uuid");
    record->uuid = json_object_get_string(uuid);
    return 0;
}

int coverage_load(const char *text, size_t size, struct coverage_load *record,
                  struct load_reason *reason)
{
    enum json_tokener_error trouble;
    int error = record_crc_check(text, size, reason);
    if (error != 0)
        return error;
    struct coverage_load parsed = {.root = json_tokener_parse_verbose(text, &trouble)};
    if (!json_object_is_type(parsed.root, json_type_object))
        error = load_refuse(reason, "is not one JSON object: %s", json_tokener_error_desc(trouble));
    if (error == 0)
        error = check(&parsed, reason);
    if (error == 0)
        *record = parsed;
    else
        json_object_put(parsed.root);
    return error;
}

void coverage_load_free(struct coverage_load *record)
{
    json_object_put(record->root);
}
