/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The wrapper's map of libraries to modules, in both its forms. A module that it finds for a path
 * is that of a directory above it, and no entry is longer.
 */
#include <string.h>

#include "conf/library_modules.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_file.h"

static int file = -1;

static int is_above(const char *directory, const char *path)
{
    if (directory == NULL)
        return 0;
    size_t length = strlen(directory);
    return strncmp(directory, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static void find(const struct module_map *map, const char *path)
{
    const char *module = module_map_find(map, path);
    size_t longest = 0;
    int found = module == NULL;
    for (size_t i = 0; i < map->count; i++)
        if (is_above(map->entry[i].directory, path) && strlen(map->entry[i].directory) >= longest)
            longest = strlen(map->entry[i].directory);
    for (size_t i = 0; i < map->count; i++) {
        int is_longest =
            is_above(map->entry[i].directory, path) && strlen(map->entry[i].directory) == longest;
        require(module != NULL || !is_longest);
        found |= is_longest && map->entry[i].module == module;
    }
    require(found);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[FUZZ_PATH_SIZE];
    struct module_map map;
    fuzz_file(&file, data, size, path);
    if (module_map_load(path, &map) != 0)
        return 0;
    for (size_t i = 0; i < map.count; i++)
        require(map.entry[i].given[0] == '/' && map.entry[i].module != NULL &&
                (map.entry[i].directory == NULL || map.entry[i].directory[0] == '/'));
    find(&map, "/usr/lib/x86_64-linux-gnu/libc.so.6");
    find(&map, "/usr/libx");
    find(&map, "/");
    find(&map, "");
    module_map_free(&map);
    return 0;
}
