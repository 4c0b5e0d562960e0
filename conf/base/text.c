/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many of the bytes, from the first on, are ASCII. */
static size_t ascii_run(const unsigned char *at, size_t left)
{
    size_t length = 0;
    uint64_t eight;
    for (; left - length >= sizeof eight; length += sizeof eight) {
        memcpy(&eight, at + length, sizeof eight);
        if ((eight & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (length < left && at[length] < 0x80)
        length++;
    return length;
}

/* Where a V stands between a blank and a colon with a digit; `size` when nowhere. */
static size_t find_version(const char *text, size_t size)
{
    for (size_t v = 1; v + 2 < size; v++) {
        const char *at = memchr(text + v, 'V', size - 2 - v);
        if (at == NULL)
            return size;
        v = (size_t)(at - text);
        if (at[-1] == ' ' && at[1] == ':' && at[2] >= '0' && at[2] <= '9')
            return v;
    }
    return size;
}

/* The length of the valid UTF-8 sequence at `at` (RFC 3629), and its character; 0 when there is
 * none in the `left` bytes. */
static size_t sequence(const unsigned char *at, size_t left, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xf4)
        return 0;
    uint32_t value = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *character = value;
    return length;
}

bool text_is_ascii(const char *bytes, size_t size)
{
    return size == 0 || ascii_run((const unsigned char *)bytes, size) == size;
}

/* U+EFNN of the byte 0xNN, three bytes at `to`; returns the address behind them. */
static char *add_byte(char *to, unsigned char byte)
{
    *to++ = (char)0xee;
    *to++ = (char)(0xbc | byte >> 6);
    *to++ = (char)(0x80 | (byte & 0x3f));
    return to;
}

char *text_from_bytes(const char *bytes, size_t size, size_t *length)
{
    const unsigned char *from = (const unsigned char *)bytes;
    char *text = malloc(size * 3 + 1);
    char *to = text;
    if (text == NULL)
        return NULL;
    while (size > 0) {
        uint32_t character = 0;
        size_t step = ascii_run(from, size);
        if (step == 0)
            step = sequence(from, size, &character);
        if (step != 0 && (character < 0xef80 || character > 0xefff)) {
            memcpy(to, from, step);
            to += step;
        } else {
            step = 1;
            to = add_byte(to, from[0]);
        }
        from += step;
        size -= step;
    }
    *to = '\0';
    *length = (size_t)(to - text);
    return text;
}

char *text_basic_plane(const char *utf8)
{
    const unsigned char *from = (const unsigned char *)utf8;
    char *text = malloc(strlen(utf8) * 3 + 1);
    char *to = text;
    int left = 0; /* bytes of a character that takes four */
    if (text == NULL)
        return NULL;
    for (; *from != '\0'; from++) {
        left = *from >= 0xf0 ? 4 : left;
        if (left == 0)
            *to++ = (char)*from;
        else
            to = add_byte(to, *from);
        left -= left > 0;
    }
    *to = '\0';
    return text;
}

char *text_ascii_json(const char *utf8)
{
    const unsigned char *from = (const unsigned char *)utf8;
    size_t left = strlen(utf8);
    char *text = malloc(left * 6 + 1); /* a character of 2 bytes becomes 6, one of 4 twelve */
    char *to = text;
    if (text == NULL)
        return NULL;
    while (left > 0) {
        uint32_t character = 0;
        size_t run = find_version((const char *)from, ascii_run(from, left));
        memcpy(to, from, run);
        to += run;
        from += run;
        left -= run;
        if (left == 0)
            break;
        size_t step = sequence(from, left, &character);
        if (step == 0) {
            step = 1;
            character = 0xfffd;
        }
        if (character < 0x10000)
            to += sprintf(to, "\\u%04x", character);
        else
            to += sprintf(to, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
                          0xdc00 + (character & 0x3ff));
        from += step;
        left -= step;
    }
    *to = '\0';
    return text;
}

/* How many of the bytes, from the first on, are ASCII and no control characters. */
static size_t printable_run(const char *at, size_t size)
{
    size_t length = 0;
    uint64_t eight;
    for (; size - length >= sizeof eight; length += sizeof eight) {
        memcpy(&eight, at + length, sizeof eight);
        if (((eight | (eight - UINT64_C(0x2020202020202020))) & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (length < size && (signed char)at[length] >= ' ')
        length++;
    return length;
}

bool text_is_ascii_json(const char *bytes, size_t size)
{
    return printable_run(bytes, size) == size && find_version(bytes, size) == size;
}

bool text_is_plain_json(const char *bytes, size_t size)
{
    return size == 0 || (text_is_ascii_json(bytes, size) && memchr(bytes, '"', size) == NULL &&
                         memchr(bytes, '\\', size) == NULL);
}

void text_hex(const void *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[from[i] >> 4];
        *text++ = digits[from[i] & 15];
    }
    *text = '\0';
}

void text_make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            *text = '?';
}
