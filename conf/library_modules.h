/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The site's map of paths to modules. The file has one of two forms:
 *
 *   JSON    {"reverseMapT": {"DIRECTORY": {"pkg": "MODULE", "flavor": [NAME]} or "MODULE"}}, as
 *           Lmod's `spider -o jsonReverseMapT` and `-o xalt_rmapT` write it
 *   lines   DIRECTORY MODULE, with blanks between; # begins a comment
 */
#pragma once

#include <stddef.h>

struct module_entry {
    char *directory; /* its real path, without a slash at the end; NULL: it is not here */
    char *module;    /* as XALT names it: NAME, or NAME(FLAVOR) for another than the default one */
    char *given;     /* the directory as the map has it */
};

struct module_map {
    struct module_entry *entry;
    size_t count;
};

/* Returns 0 or -errno (-EINVAL: neither form). module_map_free() releases. */
int module_map_load(const char *path, struct module_map *map);

/* The module of the file or directory with this real path: that of the longest directory of the map
 * which contains it, or is it; NULL: none. */
const char *module_map_find(const struct module_map *map, const char *path);

void module_map_free(struct module_map *map);
