/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/called_linkers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

enum { ENTRY_SIZE = 40 };

static void print_entry(const struct stat *file, char *text)
{
    snprintf(text, ENTRY_SIZE, "%" PRIxMAX ":%" PRIxMAX " ", (uintmax_t)file->st_dev,
             (uintmax_t)file->st_ino);
}

bool called_linkers_any(void)
{
    const char *called = getenv(CALLED_LINKERS_VARIABLE);
    return called != NULL && called[0] != '\0';
}

bool called_linkers_have(const struct stat *file)
{
    char entry[ENTRY_SIZE];
    const char *called = getenv(CALLED_LINKERS_VARIABLE);
    print_entry(file, entry);
    for (const char *at = called; at != NULL; at = strchr(at, ' ')) {
        at += at != called;
        if (strncmp(at, entry, strlen(entry)) == 0)
            return true;
    }
    return false;
}

int called_linkers_add(const struct stat *file)
{
    char entry[ENTRY_SIZE];
    CLEANUP_FREE char *longer = NULL;
    const char *called = getenv(CALLED_LINKERS_VARIABLE);
    print_entry(file, entry);
    if (asprintf(&longer, "%s%s", called == NULL ? "" : called, entry) < 0) {
        longer = NULL;
        return -ENOMEM;
    }
    return setenv(CALLED_LINKERS_VARIABLE, longer, 1) == 0 ? 0 : -ENOMEM;
}
