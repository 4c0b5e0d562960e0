/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "path_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where `entry` stands in `list`, or NULL. */
static const char *find(const char *entry, const char *list)
{
    size_t length = strlen(entry);
    for (const char *at = list;; at++) {
        size_t size = strcspn(at, ":");
        if (size == length && memcmp(at, entry, length) == 0)
            return at;
        at += size;
        if (*at == '\0')
            return NULL;
    }
}

int path_list_add(const char *entry, const char *list, char *value, size_t size)
{
    int length;
    if (find(entry, list) != NULL)
        length = snprintf(value, size, "%s", list);
    else
        length = snprintf(value, size, "%s%s%s", entry, list[0] == '\0' ? "" : ":", list);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

void path_list_remove(const char *entry, char *list)
{
    const char *found;
    while ((found = find(entry, list)) != NULL) {
        char *at = list + (found - list);
        char *rest = at + strlen(entry);
        if (*rest == ':')
            rest++;
        else if (at > list)
            at--;
        memmove(at, rest, strlen(rest) + 1);
    }
}
