/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/routine_candidates.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/listing.h"
#include "conf/base/program_run.h"
#include "conf/base/suggest.h"
#include "conf/library_modules.h"

enum { CACHE_MS = 5000, DIRECTORIES_MAX = 256, LIBRARIES_MAX = 1 << 14 };

/* What is no library is left out. */
static int add_file(struct routine_candidates *candidates, const char *path)
{
    size_t at = candidates->count;
    const char *slash = strrchr(path, '/');
    const char *end = slash == NULL ? NULL : strstr(slash, ".so");
    if (end == NULL)
        return 0;
    if (at == LIBRARIES_MAX) {
        candidates->is_complete = false;
        return 0;
    }
    if (GROW(candidates->path, at) != 0 || GROW(candidates->stem, at) != 0)
        return -ENOMEM;
    candidates->path[at] = strdup(path);
    candidates->stem[at] = strndup(slash + 1, (size_t)(end - slash) - 1);
    candidates->count++;
    return candidates->path[at] == NULL || candidates->stem[at] == NULL ? -ENOMEM : 0;
}

/* Lines as "	libm.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libm.so.6", after a head. */
static int add_cache(struct routine_candidates *candidates)
{
    static const char arrow[] = " => ";
    const char *argv[] = {"/sbin/ldconfig", "-p", NULL};
    char *rest = NULL;
    CLEANUP_PROGRAM struct program_result result = {0};
    int error = program_run(argv, NULL, CACHE_MS, &result);
    candidates->is_complete = error == 0 && result.status == 0;
    if (error != 0)
        return error == -ENOMEM ? error : 0;
    for (char *line = strtok_r(result.text, "\n", &rest); line != NULL && error == 0;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *path = strstr(line, arrow);
        if (path != NULL)
            error = add_file(candidates, path + sizeof arrow - 1);
    }
    return error;
}

static int add_directory(struct routine_candidates *candidates, const char *directory,
                         const char *below)
{
    char path[PATH_MAX];
    CLEANUP_LISTING DIR *listing = NULL;
    snprintf(path, sizeof path, "%s%s", directory, below);
    int error = listing_open(AT_FDCWD, path, &listing);
    if (error != 0) {
        candidates->is_complete &= error == -ENOENT || error == -ENOTDIR;
        return error == -ENOMEM ? error : 0;
    }
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        CLEANUP_FREE char *file = NULL;
        if (asprintf(&file, "%s/%s", path, name) < 0)
            file = NULL;
        error = file == NULL ? -ENOMEM : add_file(candidates, file);
    }
    return error;
}

static int add_modules(struct routine_candidates *candidates, const char *path)
{
    static const char *const below[] = {"", "/lib", "/lib64"};
    struct module_map map;
    int error = module_map_load(path, &map);
    candidates->is_complete &= error == 0;
    if (error != 0)
        return error == -ENOMEM ? error : 0;
    candidates->has_map = true;
    candidates->is_complete &= map.count <= DIRECTORIES_MAX;
    for (size_t i = 0; i < map.count && i < DIRECTORIES_MAX && error == 0; i++)
        for (size_t k = 0; k < sizeof below / sizeof *below && error == 0; k++)
            error = add_directory(candidates, map.entry[i].given, below[k]);
    module_map_free(&map);
    return error;
}

int routine_candidates_find(const struct conf *conf, struct routine_candidates *candidates)
{
    *candidates = (struct routine_candidates){.count = 0};
    int error = add_cache(candidates);
    if (error == 0 && conf->link_modules[0] != '\0')
        error = add_modules(candidates, conf->link_modules);
    return error;
}

void routine_candidates_free(struct routine_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        free(candidates->path[i]);
        free(candidates->stem[i]);
    }
    free(candidates->path);
    free(candidates->stem);
}

const char *routine_candidates_near(const struct routine_candidates *candidates, const char *stem)
{
    const char *near = suggest(stem, (const char *const *)candidates->stem, candidates->count);
    for (size_t i = 0; near != NULL && i < candidates->count; i++)
        if (candidates->stem[i] == near)
            return strrchr(candidates->path[i], '/') + 1;
    return NULL;
}
