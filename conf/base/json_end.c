/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/json_end.h"

#include <stdint.h>
#include <string.h>

enum { DEPTH_MAX = 16, ESCAPE_LENGTH = 6 };

/* ---- Strings ------------------------------------------------------------------------------- */

int json_code_unit(const char *at, const char *end)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int unit = 0;
    if (end - at < ESCAPE_LENGTH || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < ESCAPE_LENGTH; i++) {
        const char *digit = at[i] == '\0' ? NULL : strchr(digits, at[i]);
        if (digit == NULL)
            return -1;
        unit = unit << 4 | (int)((digit - digits) & 15);
    }
    return unit;
}

/* After the escape whose backslash is at `at`, or NULL. */
static const char *escape_end(const char *at, const char *end)
{
    if (end - at < 2 || at[1] == '\0')
        return NULL;
    if (at[1] != 'u')
        return strchr("\"\\/bfnrt", at[1]) == NULL ? NULL : at + 2;
    int unit = json_code_unit(at, end);
    if (unit < 0xd800 || unit > 0xdfff)
        return unit < 0 ? NULL : at + ESCAPE_LENGTH;
    int low = unit > 0xdbff ? -1 : json_code_unit(at + ESCAPE_LENGTH, end);
    return low >= 0xdc00 && low <= 0xdfff ? at + 2 * ESCAPE_LENGTH : NULL;
}

/* From after the opening quote, to after the closing one. NULL where there is none before `end`, or
 * an escape is wrong, or half of a surrogate pair. */
static const char *json_string_end(const char *at, const char *end)
{
    const char *quote = NULL;
    while (at != NULL) {
        if (quote == NULL || quote < at) /* looked for once, not at each escape */
            quote = memchr(at, '"', (size_t)(end - at));
        if (quote == NULL)
            return NULL;
        const char *escape = memchr(at, '\\', (size_t)(quote - at));
        if (escape == NULL)
            return quote + 1;
        at = escape_end(escape, end);
    }
    return NULL;
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

/* After the digits at `at`, or NULL where there are none. */
static const char *digits_end(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at > from ? at : NULL;
}

static const char *number_end(const char *at, const char *end)
{
    at += at < end && *at == '-';
    at = at < end && *at == '0' ? at + 1 : digits_end(at, end);
    if (at != NULL && at < end && *at == '.')
        at = digits_end(at + 1, end);
    if (at == NULL || at == end || (*at != 'e' && *at != 'E'))
        return at;
    at++;
    at += at < end && (*at == '+' || *at == '-');
    return digits_end(at, end);
}

static const char *word_end(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *scalar_end(const char *at, const char *end)
{
    switch (*at) {
    case '"':
        return json_string_end(at + 1, end);
    case 't':
        return word_end(at, end, "true");
    case 'f':
        return word_end(at, end, "false");
    case 'n':
        return word_end(at, end, "null");
    default:
        return number_end(at, end);
    }
}

/* ---- Objects and arrays ---------------------------------------------------------------------- */

const char *json_key_end(const char *at, const char *end)
{
    const char *after = at < end && *at == '"' ? json_string_end(at + 1, end) : NULL;
    return after != NULL && after < end && *after == ':' ? after + 1 : NULL;
}

/* What is to be closed, the innermost last. */
struct nesting {
    char closing[DEPTH_MAX];
    size_t depth;
};

/* Where the next value of the innermost begins: `at`, or after the key there. NULL without one. */
static const char *next_value(const struct nesting *in, const char *at, const char *end)
{
    return in->closing[in->depth - 1] == ']' ? at : json_key_end(at, end);
}

/* After all that is closed at `at`, and a comma when there is more. */
static const char *close_all(struct nesting *in, const char *at, const char *end)
{
    while (in->depth > 0 && at < end && *at == in->closing[in->depth - 1]) {
        in->depth--;
        at++;
    }
    if (in->depth == 0)
        return at;
    return at < end && *at == ',' ? next_value(in, at + 1, end) : NULL;
}

/* After the bracket at `at`: at its first value, or, where it has none, at what follows. */
static const char *open_one(struct nesting *in, const char *at, const char *end)
{
    if (in->depth == DEPTH_MAX)
        return NULL;
    in->closing[in->depth++] = *at == '{' ? '}' : ']';
    at++;
    if (at < end && *at == in->closing[in->depth - 1])
        return close_all(in, at, end);
    return next_value(in, at, end);
}

const char *json_value_end(const char *at, const char *end)
{
    struct nesting in;
    in.depth = 0;
    do {
        if (at == end)
            return NULL;
        if (*at == '{' || *at == '[') {
            at = open_one(&in, at, end);
        } else {
            at = scalar_end(at, end);
            at = at == NULL ? NULL : close_all(&in, at, end);
        }
    } while (at != NULL && in.depth > 0);
    return at;
}

/* ---- Surrogate pairs ------------------------------------------------------------------------- */

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

static const char *find_misread(const char *at, const char *end)
{
    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL && misread_pair(at, end) == 0)
        at = end - at < 2 ? end : at + 2; /* two backslashes are one escape */
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
