/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/path_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where `entry` stands in `list`, or NULL. */
static const char *find_entry(const char *entry, char separator, const char *list)
{
    const char end[] = {separator, '\0'};
    size_t length = strlen(entry);
    for (const char *at = list;; at++) {
        size_t size = strcspn(at, end);
        if (size == length && memcmp(at, entry, length) == 0)
            return at;
        at += size;
        if (*at == '\0')
            return NULL;
    }
}

int path_list_add(const char *entry, char separator, const char *list, char *value, size_t size)
{
    int length;
    if (find_entry(entry, separator, list) != NULL)
        length = snprintf(value, size, "%s", list);
    else
        length = list[0] == '\0' ? snprintf(value, size, "%s", entry)
                                 : snprintf(value, size, "%s%c%s", entry, separator, list);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

void path_list_remove(const char *entry, char separator, char *list)
{
    const char *found;
    while ((found = find_entry(entry, separator, list)) != NULL) {
        char *at = list + (found - list);
        char *rest = at + strlen(entry);
        if (*rest == separator)
            rest++;
        else if (at > list)
            at--;
        memmove(at, rest, strlen(rest) + 1);
    }
}
