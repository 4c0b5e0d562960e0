/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/real_linker.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "ldwrap/called_linkers.h"
#include "ldwrap/xalt_wrapper.h"

struct search {
    const char *name;
    bool is_xalts; /* XALT's wrapper has called, so that no wrapper of XALT's is looked for */
};

/* Takes DIRECTORY/NAME if it is a program that was not called yet. Returns 0, -ENOENT, -ENOMEM. */
static int take_program(const struct search *search, const char *directory, size_t length,
                        char **path)
{
    struct stat status;
    CLEANUP_FREE char *text = NULL;
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    if (asprintf(&text, "%.*s%s%s", (int)length, length == 0 ? "." : directory, slash,
                 search->name) < 0) {
        text = NULL;
        return -ENOMEM;
    }
    if (stat(text, &status) != 0 || !S_ISREG(status.st_mode) || access(text, X_OK) != 0 ||
        called_linkers_have(&status) || (search->is_xalts && xalt_wrapper_is(text)))
        return -ENOENT;
    if (called_linkers_add(&status) != 0)
        return -ENOMEM;
    *path = text;
    text = NULL;
    return 0;
}

/* Takes the first one in a list of directories, with ':' between them. */
static int search_directories(const struct search *search, const char *directories, char **path)
{
    int error = -ENOENT;
    for (const char *at = directories; at != NULL && error == -ENOENT;) {
        size_t length = strcspn(at, ":");
        error = take_program(search, at, length, path);
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return error;
}

/* The value of --target=T or -target T in a clang's arguments, or NULL. */
static const char *target_argument(const struct ancestor *clang)
{
    const char *end = clang->argv + clang->argv_size, *found = NULL;
    bool is_next = false;
    for (const char *at = clang->argv; at < end; at += strlen(at) + 1) {
        if (is_next)
            found = at;
        else if (strncmp(at, "--target=", 9) == 0)
            found = at + 9;
        is_next = strcmp(at, "-target") == 0;
    }
    return found;
}

/* clang prefers TARGET-ld to ld, but tries both names in a directory before the next directory.
 * Ours is the first one in PATH, so that clang finds our `ld`. Then TARGET-ld is looked for here.
 */
static int search_target(const struct search *search, const struct ancestor *clang, char **path)
{
    CLEANUP_FREE char *name = NULL;
    const char *target = target_argument(clang);
    if (target == NULL || strcmp(search->name, "ld") != 0)
        return -ENOENT;
    if (asprintf(&name, "%s-%s", target, search->name) < 0) {
        name = NULL;
        return -ENOMEM;
    }
    return search_directories(&(struct search){name, search->is_xalts}, getenv("PATH"), path);
}

static int search_beside(const struct search *search, const struct ancestor *clang, char **path)
{
    int error = search_target(search, clang, path);
    const char *slash = strrchr(clang->path, '/');
    if (error == -ENOENT && slash != NULL)
        error = take_program(search, clang->path, (size_t)(slash - clang->path), path);
    return error;
}

int real_linker_find(const char *called, const struct ancestors *ancestors, char **path)
{
    const struct ancestor *caller = ancestors_caller(ancestors);
    const struct search search = {called, xalt_wrapper_has_called(ancestors)};
    int error = search_directories(&search, getenv("COMPILER_PATH"), path);
    if (error == -ENOENT && caller != NULL && strstr(caller->path, "/clang") != NULL)
        error = search_beside(&search, caller, path);
    return error == -ENOENT ? search_directories(&search, getenv("PATH"), path) : error;
}
