/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/record_plain.h"

#include <stdlib.h>
#include <string.h>

#include "submit/load/parse/record_values.h"

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
    if (is(value, "[]"))
        return true;
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

/* A string and a number in brackets; the byte behind them, NULL where there is something else. */
static const char *pair_end(const char *at, const char *end)
{
    const char *close = memchr(at, ']', (size_t)(end - at));
    const char *comma = memchr(at, ',', (size_t)(end - at));
    bool is_pair = *at == '[' && close != NULL && comma != NULL && comma < close &&
                   is_string((struct json_slice){at + 1, (size_t)(comma - at - 1)}) &&
                   is_number((struct json_slice){comma + 1, (size_t)(close - comma - 1)});
    return is_pair ? close + 1 : NULL;
}

/* An array of pairs of a string and a number, as slurmT.core_days. */
static bool is_array_of_pairs(struct json_slice value)
{
    const char *at = value.at, *end = value.at + value.size;
    if (is(value, "[]"))
        return true;
    if (*at != '[')
        return false;
    do
        at = at + 1 < end ? pair_end(at + 1, end) : NULL;
    while (at != NULL && at < end && *at == ',');
    return at != NULL && at + 1 == end && *at == ']';
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
    if (is_string(value)) /* that spells one */
        value = (struct json_slice){value.at + 1, value.size - 2};
    return is_number(value) && record_set_number(field, member, true, number_of(value));
}

/* A key at the top with the fields of its table, or with the one that its value is. */
struct top_fields {
    int top;
    struct record_fields fields;
};

static size_t find_places(struct top_fields places[RECORD_TOPS])
{
    const struct record_field *field = all_run_fields.field, *end = field + all_run_fields.count;
    size_t count = 0;
    for (size_t size; field < end; field += size) {
        bool is_table = field->table[0] != '\0';
        const char *key = is_table ? field->table : field->key;
        for (size = 1; is_table && field + size < end && strcmp(field[size].table, key) == 0;)
            size++;
        places[count++] =
            (struct top_fields){record_key_place(RECORD_RUN, key, strlen(key)), {field, size}};
    }
    return count;
}

/* The field of the key: mostly the one at `*next`, as our records have their keys in this order. */
static const struct record_field *field_of(const struct record_fields *fields,
                                           struct json_slice key, size_t *next)
{
    for (size_t i = 0; i < fields->count; i++) {
        size_t at = (*next + i) % fields->count;
        const struct record_field *field = &fields->field[at];
        if (field->key_size == key.size && memcmp(field->key, key.at, key.size) == 0) {
            *next = at + 1;
            return field;
        }
    }
    return NULL;
}

static bool put_value(struct plain *plain, const struct record_field *field,
                      struct json_slice value)
{
    return field->kind == FIELD_TEXT ? put_text(plain, field, value)
                                     : put_number(plain, field, value);
}

static bool read_table(struct plain *plain, const struct record_fields *fields,
                       struct json_slice text)
{
    struct json_members members;
    struct json_slice key, value;
    enum json_step step;
    size_t next = 0;
    if (!json_members_open(&members, text.at, text.size))
        return false;
    while ((step = json_members_next(&members, &key, &value)) == JSON_MEMBER) {
        const struct record_field *field = field_of(fields, key, &next);
        bool is_pairs = field == NULL && is_array_of_pairs(value);
        if (field == NULL && is(key, "core_days") &&
            strcmp(fields->field[0].table, "slurmT") == 0) {
            if (!is_pairs)
                return false;
            plain->run.core_days = value;
        }
        if (memchr(key.at, '\\', key.size) != NULL ||
            !(field == NULL ? is_pairs || is_plain_value(value) : put_value(plain, field, value)))
            return false;
    }
    return step == JSON_END;
}

static bool read_place(struct plain *plain, const struct top_fields *place, struct json_slice value)
{
    const struct record_field *first = place->fields.field;
    if (value.size == 0)
        return true;
    return first->table[0] != '\0' ? read_table(plain, &place->fields, value)
                                   : put_value(plain, first, value);
}

bool record_plain_read(const struct json_slice top[RECORD_TOPS], struct run_record *run)
{
    static _Thread_local struct top_fields places[RECORD_TOPS];
    static _Thread_local size_t count;
    struct plain plain = {.run = *run};
    if (count == 0)
        count = find_places(places);
    for (size_t i = 0; i < count; i++)
        if (!read_place(&plain, &places[i], top[places[i].top]))
            return false;
    for (size_t i = 0; i < plain.count; i++)
        *(char *)(uintptr_t)plain.ends[i] = '\0';
    *run = plain.run;
    return true;
}
