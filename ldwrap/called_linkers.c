/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/called_linkers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

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

/* ---- XALT's wrapper -------------------------------------------------------------------------- */

/* The words, in two parts: XALT's wrapper would take a program that has the whole for one of its
 * own. */
static const char *const magic[] = {"MAGIC_STRING__XALT__", "XALT__MAGIC_STRING"};

bool xalt_wrapper_is(const char *path)
{
    char start[512];
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = fd < 0 ? -1 : read(fd, start, sizeof start - 1);
    if (size < 2 || memcmp(start, "#!", 2) != 0)
        return false;
    start[size] = '\0';
    const char *found = strstr(start, magic[0]);
    return found != NULL && strncmp(found + strlen(magic[0]), magic[1], strlen(magic[1])) == 0;
}

bool xalt_wrapper_has_called(const struct ancestors *ancestors)
{
    const struct ancestor *caller = ancestors_caller(ancestors);
    return caller != NULL && xalt_wrapper_is(caller->path);
}

bool xalt_wrapper_made(const char *path)
{
    static const char name[] = "/xalt.o", random[] = "_XXXXXX";
    char text[UUID_STR_LEN];
    uuid_t uuid;
    size_t length = strlen(path), end = sizeof name - 1 + sizeof random - 1;
    if (strncmp(path, "/tmp/", 5) != 0 || length < 5 + UUID_STR_LEN + end ||
        strcmp(path + length - (sizeof name - 1), name) != 0)
        return false;
    const char *at = path + length - end - (UUID_STR_LEN - 1);
    memcpy(text, at, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return at[-1] == '_' && at[UUID_STR_LEN - 1] == '_' && uuid_parse(text, uuid) == 0;
}

bool xalt_wrapper_adds(const char *path)
{
    const char *name = basename(path);
    return xalt_wrapper_made(path) || strcmp(name, "librun_submission.a") == 0 ||
           strncmp(name, "xalt_initialize_regular.o", 25) == 0;
}
