/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_plain.h"

#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/record_values.h"

const char *const plain_keys[PLAIN_TABLES] = {
    [PLAIN_USER] = "userT",
    [PLAIN_TIMES] = "userDT",
    [PLAIN_SLURM] = "slurmT",
    [PLAIN_HASH_ID] = "hash_id",
};

/* ---- Forms ---------------------------------------------------------------------------------- */

static bool is(struct json_slice value, const char *word)
{
    return value.size == strlen(word) && memcmp(value.at, word, value.size) == 0;
}

static size_t digits_at(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return (size_t)(at - from);
}

/* RFC 8259, 6, without an exponent */
static bool is_number(struct json_slice value)
{
    const char *at = value.at, *end = value.at + value.size;
    at += at < end && *at == '-';
    size_t whole = digits_at(at, end);
    if (whole == 0 || (whole > 1 && *at == '0'))
        return false;
    at += whole;
    if (at == end)
        return true;
    size_t fraction = *at == '.' ? digits_at(at + 1, end) : 0;
    return fraction > 0 && at + 1 + fraction == end;
}

static bool is_string(struct json_slice value)
{
    return value.size >= 2 && value.at[0] == '"' && memchr(value.at, '\\', value.size) == NULL;
}

bool is_plain_value(struct json_slice value)
{
    return is_string(value) || is_number(value) || is(value, "null") || is(value, "true") ||
           is(value, "false");
}

bool is_plain_array(struct json_slice value)
{
    const char *at = value.at + 1, *end = value.at + value.size;
    if (value.size < 4 || value.at[0] != '[' || memchr(value.at, '\\', value.size) != NULL)
        return false;
    for (;;) {
        const char *quote = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        if (quote == NULL || quote + 1 == end)
            return false;
        for (const char *byte = at; byte < quote; byte++)
            if ((unsigned char)*byte < ' ')
                return false; /* it would be written as an escape */
        at = quote + 1;
        if (*at == ']')
            return at + 1 == end;
        if (*at++ != ',' || at == end)
            return false;
    }
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Exact where its digits are a number that a double holds, and strtod() for others. */
static double number_of(struct json_slice value)
{
    static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    const size_t powers = sizeof power / sizeof power[0];
    bool negative = value.at[0] == '-';
    const char *point = memchr(value.at, '.', value.size);
    size_t behind = point == NULL ? 0 : (size_t)(value.at + value.size - point - 1);
    if (value.size > 15 || behind >= powers)
        return strtod(value.at, NULL);
    double digits = 0;
    for (size_t i = negative; i < value.size; i++)
        if (value.at[i] != '.')
            digits = digits * 10 + (value.at[i] - '0');
    return (negative ? -digits : digits) / power[behind];
}

/* What is read, and where texts end. */
struct plain {
    struct run_record run;
    const char *ends[64];
    size_t count;
};

static bool put_text(struct plain *plain, const struct record_field *field, struct json_slice value)
{
    const char **member = (const char **)((char *)&plain->run + field->offset);
    if (is(value, "null")) {
        *member = NULL;
        return true;
    }
    if (!is_string(value) || value.size - 2 > field->max_bytes ||
        plain->count == sizeof plain->ends / sizeof plain->ends[0])
        return false;
    *member = value.at + 1;
    plain->ends[plain->count++] = value.at + value.size - 1;
    return true;
}

static bool put_number(struct plain *plain, const struct record_field *field,
                       struct json_slice value)
{
    void *member = (char *)&plain->run + field->offset;
    bool is_true = is(value, "true");
    if (is(value, "null"))
        return record_set_number(field, member, false, 0);
    if (is_true || is(value, "false"))
        return record_set_number(field, member, true, is_true);
    return is_number(value) && record_set_number(field, member, true, number_of(value));
}

static const struct record_fields *const lists[] = {
    &run_fields,      &executable_fields, &program_fields,
    &job_part_fields, &layout_fields,     &ending_fields,
};
#define LISTS      (sizeof lists / sizeof lists[0])
#define FIELDS_MAX 32

/* The fields of one table. */
struct index {
    const struct record_field *field[FIELDS_MAX];
    size_t key_size[FIELDS_MAX];
    size_t count;
};

static void fill_index(struct index *index, const char *table)
{
    for (size_t i = 0; i < LISTS; i++) {
        for (size_t j = 0; j < lists[i]->count && index->count < FIELDS_MAX; j++) {
            const struct record_field *field = &lists[i]->field[j];
            if (strcmp(field->table, table) != 0)
                continue;
            index->field[index->count] = field;
            index->key_size[index->count++] = strlen(field->key);
        }
    }
}

static const struct record_field *field_of(const struct index *index, struct json_slice key)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->key_size[i] == key.size && memcmp(index->field[i]->key, key.at, key.size) == 0)
            return index->field[i];
    return NULL;
}

static bool put_member(struct plain *plain, const struct index *index, struct json_slice key,
                       struct json_slice value)
{
    const struct record_field *field = field_of(index, key);
    if (memchr(key.at, '\\', key.size) != NULL)
        return false;
    if (field == NULL)
        return is_plain_value(value);
    return field->kind == FIELD_TEXT ? put_text(plain, field, value)
                                     : put_number(plain, field, value);
}

static bool read_table(struct plain *plain, const struct index *index, struct json_slice text)
{
    struct json_members members;
    struct json_slice key, value;
    if (text.size == 0)
        return true;
    if (!json_members_open(&members, text.at, text.size))
        return false;
    for (;;) {
        switch (json_members_next(&members, &key, &value)) {
        case JSON_END:
            return true;
        case JSON_BAD:
            return false;
        case JSON_MEMBER:
            if (!put_member(plain, index, key, value))
                return false;
        }
    }
}

bool record_plain_read(const struct json_slice tables[PLAIN_TABLES], struct run_record *run)
{
    static _Thread_local struct index indexes[PLAIN_TABLES];
    struct plain plain = {.run = *run};
    const struct json_slice hash_id = tables[PLAIN_HASH_ID];
    for (enum plain_table i = 0; i < PLAIN_TABLES; i++)
        if (indexes[i].count == 0)
            fill_index(&indexes[i], i == PLAIN_HASH_ID ? "" : plain_keys[i]);
    for (enum plain_table i = 0; i < PLAIN_HASH_ID; i++)
        if (!read_table(&plain, &indexes[i], tables[i]))
            return false;
    if (hash_id.size > 0 && !put_text(&plain, indexes[PLAIN_HASH_ID].field[0], hash_id))
        return false;
    for (size_t i = 0; i < plain.count; i++)
        *(char *)(uintptr_t)plain.ends[i] = '\0';
    *run = plain.run;
    return true;
}
