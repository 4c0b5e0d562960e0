/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/json_pairs.h"

#include <stdint.h>
#include <string.h>

#include "conf/base/json_end.h"

enum { ESCAPE_LENGTH = 6 };

/* The character of the pair at `at` if json-c misreads it; 0 for all else. */
static uint32_t misread_pair(const char *at, const char *end)
{
    int high = json_code_unit(at, end);
    if (high < 0xd800 || high > 0xdbff)
        return 0;
    int low = json_code_unit(at + ESCAPE_LENGTH, end);
    uint32_t character = 0x10000 + ((uint32_t)(high & 0x3ff) << 10) + ((uint32_t)low & 0x3ff);
    return low >= 0xdc00 && low <= 0xdfff && (character & 0xf800) == 0xd800 ? character : 0;
}

/* After the escape at `at`, which is none of these. */
static const char *after_escape(const char *at, const char *end)
{
    return end - at < 2 ? end : at + 2; /* two backslashes are one escape */
}

static const char *find_misread(const char *at, const char *end)
{
    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL && misread_pair(at, end) == 0)
        at = after_escape(at, end);
    return at;
}

bool json_pairs_are_misread(const char *json, size_t size)
{
    return find_misread(json, json + size) != NULL;
}

static char *put_utf8(char *to, uint32_t character)
{
    *to++ = (char)(0xf0 | character >> 18);
    *to++ = (char)(0x80 | (character >> 12 & 0x3f));
    *to++ = (char)(0x80 | (character >> 6 & 0x3f));
    *to++ = (char)(0x80 | (character & 0x3f));
    return to;
}

size_t json_pairs_join(char *json, size_t size)
{
    const char *from = json, *end = json + size;
    char *to = json;
    for (const char *pair; (pair = find_misread(from, end)) != NULL;
         from = pair + 2 * ESCAPE_LENGTH) {
        uint32_t character = misread_pair(pair, end);
        memmove(to, from, (size_t)(pair - from));
        to = put_utf8(to + (pair - from), character);
    }
    memmove(to, from, (size_t)(end - from));
    to += end - from;
    *to = '\0';
    return (size_t)(to - json);
}
