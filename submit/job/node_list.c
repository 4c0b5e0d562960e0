/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/node_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* No list has as many nodes, nor a number as many digits. */
enum { NODES_MAX = 1 << 24, DIGITS_MAX = 9 };

/* Moves `*at` behind a number; `*digits` is how many it has. */
static bool take_number(const char **at, long *number, size_t *digits)
{
    *digits = strspn(*at, "0123456789");
    *number = 0;
    for (size_t i = 0; i < *digits && i < DIGITS_MAX; i++)
        *number = *number * 10 + ((*at)[i] - '0');
    *at += *digits;
    return *digits > 0 && *digits <= DIGITS_MAX;
}

/* The brackets that `*at` stands behind: how many numbers they have, and which of them `*name`
 * begins with, or -1; moves both behind. A width of zeros is that of the first number: 08-10 has
 * 08, 09 and 10. */
static bool take_brackets(const char **at, const char **name, long *count, long *place)
{
    const char *begin = *name;
    *count = 0;
    *place = -1;
    for (;;) {
        long first, last;
        size_t width, more;
        char text[DIGITS_MAX + 2];
        if (!take_number(at, &first, &width))
            return false;
        last = first;
        if (**at == '-' && (++*at, !take_number(at, &last, &more) || last < first))
            return false;
        const char *end = begin;
        long number;
        if (*place < 0 && take_number(&end, &number, &more) && number >= first && number <= last &&
            snprintf(text, sizeof text, "%0*ld", (int)width, number) == (int)more &&
            strncmp(text, begin, more) == 0) {
            *place = *count + number - first;
            *name = end;
        }
        *count += last - first + 1;
        if (*count > NODES_MAX)
            return false;
        if (**at == ']') {
            ++*at;
            return true;
        }
        if (*(*at)++ != ',')
            return false;
    }
}

/* One name with brackets or without: how many nodes it is, and the place of `node` among them, or
 * -1. The last brackets vary fastest. */
static bool take_names(const char **at, const char *node, long *count, long *place)
{
    bool is_it = true;
    *count = 1;
    *place = 0;
    while (**at != '\0' && **at != ',') {
        if (**at == ']')
            return false;
        if (**at != '[') {
            is_it = is_it && *node == **at;
            node += is_it;
            ++*at;
            continue;
        }
        long own_count, own_place;
        ++*at;
        if (!take_brackets(at, &node, &own_count, &own_place) || *count * own_count > NODES_MAX)
            return false;
        is_it = is_it && own_place >= 0;
        *place = *place * own_count + own_place;
        *count *= own_count;
    }
    if (!is_it || *node != '\0')
        *place = -1;
    return true;
}

long node_list_find(const char *list, const char *node)
{
    long before = 0, found = -1;
    for (const char *at = list; found < 0;) {
        long count, place;
        if (*at == '\0' || *at == ',' || !take_names(&at, node, &count, &place))
            return -1;
        if (place >= 0)
            found = before + place;
        before += count;
        if (before > NODES_MAX || (*at != ',' && found < 0))
            return -1;
        at += *at == ',';
    }
    return found;
}

long node_list_count(const char *list)
{
    long nodes = 0;
    for (const char *at = list;; at++) {
        long count, place;
        if (*at == '\0' || *at == ',' || !take_names(&at, "", &count, &place))
            return -1;
        nodes += count;
        if (nodes > NODES_MAX)
            return -1;
        if (*at == '\0')
            return nodes;
    }
}
