/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The few string functions that the library needs, without a libc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The compiler may emit calls to these four, whatever the flags; memory.c has them, hidden. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);

static inline size_t text_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

static inline bool text_equal(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

/* The text after `prefix`, or NULL when `text` does not begin with it. */
static inline const char *text_after(const char *text, const char *prefix)
{
    while (*prefix != '\0') {
        if (*text++ != *prefix++)
            return NULL;
    }
    return text;
}

/* What follows the last slash of the path. */
static inline const char *text_last_part(const char *path)
{
    const char *name = path;
    for (; *path != '\0'; path++) {
        if (*path == '/')
            name = path + 1;
    }
    return name;
}

/* The decimal number at the start of `text`, at the most UINT32_MAX; 0: there is none. */
static inline uint32_t text_number(const char *text)
{
    uint64_t value = 0;
    while (*text >= '0' && *text <= '9' && value <= UINT32_MAX)
        value = value * 10 + (uint64_t)(*text++ - '0');
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Writes `value` in decimal and a NUL to `to` (room for 21 bytes); returns the NUL's address. */
static inline char *text_decimal(char *to, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0)
        *to++ = digits[--count];
    *to = '\0';
    return to;
}

/* Appends `text` and a NUL at `to`, not beyond `end`; returns the NUL's address, or NULL when it
 * does not fit. */
static inline char *text_append(char *to, const char *end, const char *text)
{
    while (to < end) {
        if ((*to = *text++) == '\0')
            return to;
        to++;
    }
    return NULL;
}
