/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/json_members.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct json_members *members)
{
    while (members->at < members->end && is_blank(*members->at))
        members->at++;
}

static bool take(struct json_members *members, char wanted)
{
    skip_blanks(members);
    if (members->at == members->end || *members->at != wanted)
        return false;
    members->at++;
    return true;
}

/* Whether the quote at `at` is escaped: an odd number of backslashes stands before it. */
static bool is_escaped(const char *start, const char *at)
{
    size_t backslashes = 0;
    while (at - backslashes > start && at[-1 - (ptrdiff_t)backslashes] == '\\')
        backslashes++;
    return backslashes % 2 == 1;
}

/* Behind the closing quote of the string whose opening quote is at `at`; NULL without one. */
static const char *string_end(const char *at, const char *end)
{
    const char *start = at + 1;
    const char *quote = start;
    while ((quote = memchr(quote, '"', (size_t)(end - quote))) != NULL) {
        if (!is_escaped(start, quote))
            return quote + 1;
        quote++;
    }
    return NULL;
}

static const char *brackets_end(const char *at, const char *end)
{
    size_t depth = 0;
    while (at != NULL && at < end) {
        char here = *at;
        at = here == '"' ? string_end(at, end) : at + 1;
        depth += here == '{' || here == '[';
        depth -= here == '}' || here == ']';
        if (depth == 0)
            return at;
    }
    return NULL;
}

static const char *value_end(const char *at, const char *end)
{
    if (*at == '"')
        return string_end(at, end);
    if (*at == '{' || *at == '[')
        return brackets_end(at, end);
    while (at < end && *at != ',' && *at != '}' && *at != ']' && !is_blank(*at))
        at++;
    return at;
}

static bool take_value(struct json_members *members, struct json_slice *value)
{
    skip_blanks(members);
    const char *start = members->at;
    const char *end = start == members->end ? NULL : value_end(start, members->end);
    if (end == NULL || end == start)
        return false;
    *value = (struct json_slice){start, (size_t)(end - start)};
    members->at = end;
    return true;
}

static bool take_key(struct json_members *members, struct json_slice *key)
{
    skip_blanks(members);
    if (members->at == members->end || *members->at != '"' || !take_value(members, key))
        return false;
    key->at++;
    key->size -= 2;
    return take(members, ':');
}

bool json_members_open(struct json_members *members, const char *text, size_t size)
{
    *members = (struct json_members){text, text + size};
    return take(members, '{');
}

enum json_step json_members_next(struct json_members *members, struct json_slice *key,
                                 struct json_slice *value)
{
    if (take(members, '}')) {
        skip_blanks(members);
        return members->at == members->end ? JSON_END : JSON_BAD;
    }
    if (!take_key(members, key) || !take_value(members, value))
        return JSON_BAD;
    skip_blanks(members);
    if (members->at < members->end && *members->at == '}')
        return JSON_MEMBER;
    if (!take(members, ','))
        return JSON_BAD;
    skip_blanks(members); /* another member is to follow, not the closing brace */
    return members->at < members->end && *members->at == '"' ? JSON_MEMBER : JSON_BAD;
}
