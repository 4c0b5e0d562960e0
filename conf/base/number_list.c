/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/number_list.h"

#include <stddef.h>
#include <string.h>

/* Returns what follows the number; NULL: there is none, or it is too large. */
static const char *take_number(const char *text, uint32_t *number)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (uint64_t)(*at - '0');
        if (value >= UINT32_MAX)
            return NULL;
    }
    *number = (uint32_t)value;
    return at == text ? NULL : at;
}

/* Returns what follows the range and its comma; NULL: it is wrong. */
static const char *take_range(const char *text, uint32_t *first, uint32_t *last)
{
    const char *at = take_number(text, first);
    *last = *first;
    if (at != NULL && *at == '-')
        at = take_number(at + 1, last);
    if (at == NULL || *last < *first || (*at != '\0' && (*at != ',' || at[1] == '\0')))
        return NULL;
    return *at == ',' ? at + 1 : at;
}

static bool is_word(const char *text)
{
    return strcmp(text, "none") == 0 || strcmp(text, "all") == 0;
}

bool number_list_is_valid(const char *text)
{
    uint32_t first = 0, last = 0;
    const char *at = is_word(text) ? "" : take_range(text, &first, &last);
    while (at != NULL && *at != '\0')
        at = take_range(at, &first, &last);
    return at != NULL;
}

bool number_list_has(const char *text, uint32_t number)
{
    uint32_t first = 0, last = 0;
    if (is_word(text))
        return strcmp(text, "all") == 0;
    for (const char *at = text; at != NULL && *at != '\0';) {
        at = take_range(at, &first, &last);
        if (at != NULL && number >= first && number <= last)
            return true;
    }
    return false;
}
