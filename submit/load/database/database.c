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
