/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text_repair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PRIVATE_USE_BYTES 3u

/* Bytes of the UTF-8 sequence at `at`, 0 when there is none (Unicode 15, table 3-7). */
static size_t utf8_length(const unsigned char *at, size_t left)
{
    unsigned char lowest = 0x80, highest = 0xBF;
    size_t length;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xC2 || at[0] > 0xF4)
        return 0;
    length = at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (at[0] == 0xE0)
        lowest = 0xA0;
    else if (at[0] == 0xED)
        highest = 0x9F;
    else if (at[0] == 0xF0)
        lowest = 0x90;
    else if (at[0] == 0xF4)
        highest = 0x8F;
    if (left < length || at[1] < lowest || at[1] > highest)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (at[i] < 0x80 || at[i] > 0xBF)
            return 0;
    return length;
}

static size_t count_foreign_bytes(const unsigned char *text, size_t size)
{
    size_t foreign = 0;
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length(text + at, size - at);
        if (length == 0)
            foreign++;
        at += length == 0 ? 1 : length;
    }
    return foreign;
}

static void copy_mapped(const unsigned char *text, size_t size, unsigned char *out)
{
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length(text + at, size - at);
        if (length == 0) {
            *out++ = 0xEE;
            *out++ = (unsigned char)(0xBC | text[at] >> 6);
            *out++ = (unsigned char)(0x80 | (text[at] & 0x3F));
            at++;
        } else {
            memcpy(out, text + at, length);
            out += length;
            at += length;
        }
    }
}

static void replace_escaped_nuls(char *text)
{
    for (char *at = strchr(text, '\\'); at != NULL; at = strchr(at, '\\')) {
        if (strncmp(at, "\\u0000", 6) == 0)
            memcpy(at, "\\ufffd", 6);
        at += at[1] == '\0' ? 1 : 2; /* an escaped backslash starts no escape */
    }
}

int text_repair(char **text, size_t *size)
{
    size_t foreign = count_foreign_bytes((const unsigned char *)*text, *size);
    if (foreign > 0) {
        size_t mapped_size = *size + foreign * (PRIVATE_USE_BYTES - 1);
        char *mapped = malloc(mapped_size + 1);
        if (mapped == NULL)
            return -ENOMEM;
        copy_mapped((const unsigned char *)*text, *size, (unsigned char *)mapped);
        mapped[mapped_size] = '\0';
        free(*text);
        *text = mapped;
        *size = mapped_size;
    }
    replace_escaped_nuls(*text);
    return 0;
}
