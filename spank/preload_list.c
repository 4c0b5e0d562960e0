/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/preload_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether the list `preload` has the entry `library`. */
static bool has_entry(const char *preload, const char *library)
{
    size_t length = strlen(library);
    for (const char *at = preload; *at != '\0';) {
        size_t entry = strcspn(at, ": ");
        if (entry == length && memcmp(at, library, length) == 0)
            return true;
        at += entry;
        at += strspn(at, ": ");
    }
    return false;
}

int preload_list_add(const char *library, const char *user, char *value, size_t size)
{
    int length;
    if (has_entry(user, library))
        length = snprintf(value, size, "%s", user);
    else
        length = snprintf(value, size, "%s%s%s", library, user[0] == '\0' ? "" : ":", user);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

void preload_list_remove(const char *library, char *list)
{
    size_t length = strlen(library);
    char *to = list;
    for (const char *at = list; *at != '\0';) {
        size_t entry = strcspn(at, ": ");
        size_t whole = entry + strspn(at + entry, ": ");
        if (entry != length || memcmp(at, library, length) != 0) {
            memmove(to, at, whole);
            to += whole;
        }
        at += whole;
    }
    while (to > list && strchr(": ", to[-1]) != NULL)
        to--;
    *to = '\0';
}
