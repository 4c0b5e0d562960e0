/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/load_part.h"

#include <stdint.h>
#include <string.h>

#include "conf/base/uuid7.h"

/* The numbers of coverage records. */
static const struct {
    const char *table, *key, *form;
} coverage_numbers[] = {
#define COVERAGE_KEY(table, key, form, from, store, column) {table, #key, #form},
#include "submit/definition/keys.def"
};

/* No count is more than 32 bits hold, and no number is negative, but the clock's step. */
static bool is_number_sound(const char *form, const char *key, struct json_object *value)
{
    const double most = strncmp(form, "WHOLE", 5) == 0 ? UINT32_MAX : 1e18;
    const double least = strcmp(key, "clock_step") == 0 ? -most : 0;
    enum json_type type = json_object_get_type(value);
    if (type != json_type_int && type != json_type_double)
        return true;
    double number = json_object_get_double(value);
    return number >= least && number <= most;
}

static int check_numbers(struct json_object *table, const char *name, struct load_reason *reason)
{
    for (size_t i = 0; i < sizeof coverage_numbers / sizeof coverage_numbers[0]; i++) {
        const char *key = coverage_numbers[i].key;
        struct json_object *value = json_object_object_get(table, key);
        if (strcmp(coverage_numbers[i].table, name) == 0 &&
            !is_number_sound(coverage_numbers[i].form, key, value))
            return load_refuse(reason, "%s.%s is out of range", name, key);
    }
    return 0;
}

/* A table of texts, numbers and nulls. */
static int check_table(struct json_object *table, const char *name, struct load_reason *reason)
{
    if (!json_object_is_type(table, json_type_object))
        return load_refuse(reason, "%s is not an object", name);
    json_object_object_foreach(table, key, value)
    {
        (void)key;
        enum json_type type = json_object_get_type(value);
        if (type == json_type_object || type == json_type_array ||
            (type == json_type_string && json_object_get_string_len(value) > RECORD_NAME_MAX_BYTES))
            return load_refuse(reason, "%s has a value of a wrong type or size", name);
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
        error = check_numbers(fact, "coverageA", reason);
        if (error != 0)
            return error;
    }
    return 0;
}

int load_coverage(struct record_reader *reader)
{
    struct coverage_record *coverage = &reader->record->coverage;
    coverage->job = json_object_object_get(reader->record->root, "coverageT");
    coverage->facts = json_object_object_get(reader->record->root, "coverageA");
    int error = check_table(coverage->job, "coverageT", reader->reason);
    if (error == 0)
        error = check_numbers(coverage->job, "coverageT", reader->reason);
    for (size_t i = 0; error == 0 && i < LOAD_EXTENSIONS; i++) {
        const struct load_part *part = load_extensions[i].part;
        if (part != NULL && part->check_coverage != NULL)
            error = part->check_coverage(coverage->job, reader->reason);
    }
    if (error == 0)
        error = check_facts(coverage->facts, reader->reason);
    if (error != 0)
        return error;
    coverage->uuid = json_object_get_string(json_object_object_get(coverage->job, "uuid"));
    return uuid_is_text(coverage->uuid)
               ? 0
               : load_refuse(reader->reason, "coverageT.uuid is not a uuid");
}
