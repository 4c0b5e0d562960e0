/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/path_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- Lists of directories -------------------------------------------------------------------- */

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

/* ---- LD_PRELOAD ------------------------------------------------------------------------------ */

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
