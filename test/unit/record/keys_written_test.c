/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each kind of record has the keys of submit/definition/keys.def, in that order and of those types.
 */
#include <json-c/json.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/defined_keys.h"
#include "test/unit/fixture/sample_records.h"

/* A record's keys and types; for what may be null, "null" beside the type. */
struct listed {
    char *text;
    size_t size;
    FILE *file;
};

static void start(struct listed *listed)
{
    listed->file = open_memstream(&listed->text, &listed->size);
    assert_non_null(listed->file);
}

static void list(struct listed *listed, const char *table, const char *key, const char *type)
{
    fprintf(listed->file, "%s%s%s %s\n", table == NULL ? "" : table, table == NULL ? "" : ".", key,
            type);
}

/* The first that the definition has of this name; NULL: none. */
static const struct defined_key *find(enum record_kind kind, const char *table, const char *key)
{
    for (size_t i = 0; i < defined_key_count; i++) {
        const struct defined_key *defined = &defined_keys[i];
        bool is_there = table == NULL
                            ? defined->table == NULL
                            : defined->table != NULL && strcmp(defined->table, table) == 0;
        if (is_there && defined_for(defined, kind) && strcmp(defined->key, key) == 0)
            return defined;
    }
    return NULL;
}

static bool has_keys(enum record_kind kind, const char *table)
{
    for (size_t i = 0; i < defined_key_count; i++)
        if (defined_keys[i].table != NULL && defined_for(&defined_keys[i], kind) &&
            strcmp(defined_keys[i].table, table) == 0)
            return true;
    return false;
}

/* A null that may be one counts as what it would be. */
static const char *type_of(enum record_kind kind, const char *table, const char *key,
                           struct json_object *value)
{
    const struct defined_key *defined = find(kind, table, key);
    if (value == NULL && defined != NULL && defined_or_null(defined))
        return defined_type(defined);
    return json_type_to_name(json_object_get_type(value));
}

static void list_table(struct listed *listed, enum record_kind kind, const char *table,
                       struct json_object *value)
{
    if (json_object_is_type(value, json_type_array))
        value = json_object_array_get_idx(value, 0);
    assert_true(json_object_is_type(value, json_type_object));
    json_object_object_foreach(value, key, inner)
        list(listed, table, key, type_of(kind, table, key, inner));
}

static void list_record(struct listed *listed, enum record_kind kind, const char *text)
{
    struct json_object *record = json_tokener_parse(text);
    assert_non_null(record);
    json_object_object_foreach(record, key, value)
    {
        list(listed, NULL, key, type_of(kind, NULL, key, value));
        if (has_keys(kind, key))
            list_table(listed, kind, key, value);
    }
    json_object_put(record);
}

static void list_definition(struct listed *listed, enum record_kind kind)
{
    for (size_t i = 0; i < defined_key_count; i++) {
        const struct defined_key *defined = &defined_keys[i];
        if (defined_for(defined, kind) && sample_has_key(defined->table, defined->key) &&
            (defined->table == NULL || defined->table[0] != '\0'))
            list(listed, defined->table, defined->key, defined_type(defined));
    }
}

/* The line that the two differ in. */
static void assert_same_lines(const char *found, const char *wanted)
{
    size_t line = 0, at = 0;
    for (; found[at] == wanted[at]; at++) {
        if (found[at] == '\0')
            return;
        line = found[at] == '\n' ? at + 1 : line;
    }
    fail_msg("%.*s where keys.def has %.*s", (int)strcspn(found + line, "\n"), found + line,
             (int)strcspn(wanted + line, "\n"), wanted + line);
}

/* Takes the text. */
static void assert_as_defined(enum record_kind kind, char *text)
{
    struct listed found, wanted;
    start(&found);
    start(&wanted);
    list_record(&found, kind, text);
    list_definition(&wanted, kind);
    fclose(found.file);
    fclose(wanted.file);
    assert_same_lines(found.text, wanted.text);
    free(found.text);
    free(wanted.text);
    free(text);
}

TEST(each_kind_is_written_as_it_is_defined)
{
    for (enum record_kind kind = RECORD_RUN; kind < RECORD_KINDS; kind++)
        if (sample_has(kind))
            assert_as_defined(kind, sample_record(kind));
}

TEST(so_is_a_start)
{
    assert_as_defined(RECORD_RUN, sample_start_record());
}

/* One key at the top, one place among those of its table. */
TEST(no_key_is_defined_twice)
{
    for (size_t i = 0; i < defined_key_count; i++)
        for (enum record_kind kind = RECORD_RUN; kind < RECORD_KINDS; kind++)
            if (defined_for(&defined_keys[i], kind) &&
                find(kind, defined_keys[i].table, defined_keys[i].key) != &defined_keys[i])
                fail_msg("%s", defined_keys[i].key);
}
