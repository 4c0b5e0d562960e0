/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/database.h"

#include <stdlib.h>
#include <string.h>

struct value value_text(const char *text)
{
    struct value value = {.kind = VALUE_NULL};
    if (text != NULL) {
        value.kind = VALUE_TEXT;
        value.text = text;
        value.size = strlen(text);
    }
    return value;
}

struct value value_bytes(const void *bytes, size_t size)
{
    struct value value = {.kind = VALUE_BYTES};
    value.text = bytes;
    value.size = size;
    return value;
}

struct value value_int(int64_t whole)
{
    return (struct value){.kind = VALUE_INT, .whole = whole};
}

struct value value_id(int64_t id)
{
    return id == 0 ? (struct value){.kind = VALUE_NULL} : value_int(id);
}

int64_t value_whole(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        return value->whole;
    case VALUE_REAL:
        return (int64_t)value->real;
    case VALUE_TEXT:
        return strtoll(value->text, NULL, 10);
    default:
        return 0;
    }
}

double value_number(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        return (double)value->whole;
    case VALUE_REAL:
        return value->real;
    case VALUE_TEXT:
        return strtod(value->text, NULL);
    default:
        return 0;
    }
}

#define NUMBER_SIZE 32

/* Several times as fast as snprintf(), and most values are whole numbers. */
static size_t write_whole(int64_t whole, char number[NUMBER_SIZE])
{
    char *at = number + NUMBER_SIZE;
    uint64_t left = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (whole < 0)
        *--at = '-';
    size_t size = (size_t)(number + NUMBER_SIZE - at);
    memmove(number, at, size);
    return size;
}

/* Ten times as fast as its digits, and exact. */
static size_t write_real(double real, char number[NUMBER_SIZE])
{
    uint64_t bits;
    memcpy(&bits, &(double){real + 0.0}, sizeof bits); /* -0.0 is 0.0 */
    number[0] = 'r';
    for (size_t i = 0; i < sizeof bits; i++)
        number[1 + i] = (char)(bits >> 8 * i);
    return 1 + sizeof bits;
}

static size_t piece_of(const struct value *value, char number[NUMBER_SIZE], const void **piece)
{
    *piece = number;
    switch (value->kind) {
    case VALUE_NULL:
        number[0] = (char)0xff;
        return 1;
    case VALUE_INT:
        return write_whole(value->whole, number);
    case VALUE_REAL:
        return write_real(value->real, number);
    default:
        *piece = value->text;
        return value->size;
    }
}

void digest_values(const struct value *values, size_t count, struct digest *digest)
{
    const void *pieces[VALUE_DIGEST_MAX];
    size_t sizes[VALUE_DIGEST_MAX];
    char numbers[VALUE_DIGEST_MAX][NUMBER_SIZE];
    for (size_t i = 0; i < count; i++)
        sizes[i] = piece_of(&values[i], numbers[i], &pieces[i]);
    hash_pieces(pieces, sizes, count, digest);
}

void digest_texts(const char *const *texts, size_t count, struct digest *digest)
{
    const void *pieces[VALUE_DIGEST_MAX];
    size_t sizes[VALUE_DIGEST_MAX];
    for (size_t i = 0; i < count; i++) {
        pieces[i] = texts[i] == NULL ? "" : texts[i];
        sizes[i] = strlen(pieces[i]);
    }
    hash_pieces(pieces, sizes, count, digest);
}

void database_message(char *to, size_t size, const char *said)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (; *said != '\0' && used + 5 <= size; said++) {
        unsigned char byte = (unsigned char)*said;
        if (byte == '\\')
            to[used++] = '\\';
        if (byte >= ' ' && byte <= '~') {
            to[used++] = *said;
            continue;
        }
        memcpy(to + used, "\\x", 2);
        to[used + 2] = digits[byte >> 4];
        to[used + 3] = digits[byte & 15];
        used += 4;
    }
    to[used] = '\0';
}
