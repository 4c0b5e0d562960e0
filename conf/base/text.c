/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

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

/* ---- For a terminal -------------------------------------------------------------------------- */

/* What is not visible or changes the direction of text, whatever iswprint() says. Ascending:
 * Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, ends of lines and paragraphs
 * (U+2028, U+2029), directions (U+202A to U+202E), annotations (U+FFF9 to U+FFFB), and format
 * controls of hieroglyphs (U+13430 to U+1343F). */
/* clang-format off */
static const struct { uint32_t first, last; } invisible[] = {
    {0x00ad, 0x00ad}, {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160}, {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};
/* clang-format on */

static bool is_invisible(wchar_t character)
{
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        if ((uint32_t)character <= invisible[i].last)
            return (uint32_t)character >= invisible[i].first;
    return false;
}

/* How many bytes of a visible character begin at `at`; 0: none does. */
static size_t visible_at(const char *at, size_t size)
{
    wchar_t wide;
    mbstate_t state = {0};
    if (*at == '|' || *at == '\\')
        return 0;
    if (*at >= ' ' && *at <= '~') /* nearly all, and to convert them takes long */
        return 1;
    size_t taken = mbrtowc(&wide, at, size, &state);
    if (taken == (size_t)-1 || taken == (size_t)-2 || taken == 0)
        return 0;
    return iswprint((wint_t)wide) && !is_invisible(wide) ? taken : 0;
}

void terminal_text(const char *bytes, size_t size, char *text, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; i < size;) {
        size_t taken = visible_at(bytes + i, size - i);
        if (length + (taken == 0 ? strlen("\\xHH") : taken) >= room)
            break;
        if (taken == 0) {
            length += (size_t)sprintf(text + length, "\\x%02x", (unsigned char)bytes[i++]);
        } else {
            memcpy(text + length, bytes + i, taken);
            length += taken;
            i += taken;
        }
    }
    text[length] = '\0';
}

const char *terminal_word(const char *word, char room[TERMINAL_WORD_SIZE])
{
    terminal_text(word, strlen(word), room, TERMINAL_WORD_SIZE);
    return room;
}
