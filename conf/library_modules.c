/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/library_modules.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"

enum { MAP_BYTES_MAX = 256 << 20 };

static int add(struct module_map *map, const char *given, const char *module)
{
    char *real = realpath(given, NULL);
    if (real == NULL && errno == ENOMEM)
        return -ENOMEM;
    struct module_entry entry = {real, strdup(module), strdup(given)};
    if (entry.module == NULL || entry.given == NULL || GROW(map->entry, map->count) != 0) {
        free(real);
        free(entry.module);
        free(entry.given);
        return -ENOMEM;
    }
    map->entry[map->count++] = entry;
    return 0;
}

/* The value of a path: the module's name, or a table of Lmod's. Others name none. */
static int add_spider(struct module_map *map, const char *directory, struct json_object *value)
{
    struct json_object *package = value, *flavors = NULL;
    CLEANUP_FREE char *module = NULL;
    const char *flavor = NULL;
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_get_ex(value, "pkg", &package);
        if (json_object_object_get_ex(value, "flavor", &flavors) &&
            json_object_is_type(flavors, json_type_array))
            flavor = json_object_get_string(json_object_array_get_idx(flavors, 0));
    }
    if (!json_object_is_type(package, json_type_string))
        return 0;
    const char *name = json_object_get_string(package);
    if (flavor != NULL && strncmp(flavor, "default", 7) == 0)
        flavor += flavor[7] == ':' ? 8 : 7;
    if (flavor == NULL || *flavor == '\0')
        return add(map, directory, name);
    return asprintf(&module, "%s(%s)", name, flavor) < 0 ? -ENOMEM : add(map, directory, module);
}

static int add_json(struct module_map *map, const char *text)
{
    struct json_object *table, *root = json_tokener_parse(text);
    int error = 0;
    if (!json_object_object_get_ex(root, "reverseMapT", &table) ||
        !json_object_is_type(table, json_type_object)) {
        json_object_put(root);
        return -EINVAL;
    }
    json_object_object_foreach(table, directory, value)
    {
        if (directory[0] == '/' && error == 0)
            error = add_spider(map, directory, value);
    }
    json_object_put(root);
    return error;
}

static int add_lines(struct module_map *map, char *text)
{
    int error = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL && error == 0;
         line = strtok_r(NULL, "\n", &rest)) {
        char *at = NULL;
        line[strcspn(line, "#")] = '\0';
        char *directory = strtok_r(line, " \t\r", &at);
        char *module = directory == NULL ? NULL : strtok_r(NULL, " \t\r", &at);
        if (directory != NULL)
            error = directory[0] != '/' || module == NULL ? -EINVAL : add(map, directory, module);
    }
    return error;
}

int module_map_load(const char *path, struct module_map *map)
{
    CLEANUP_FREE char *text = NULL;
    size_t size;
    struct module_map loaded = {NULL, 0};
    int error = whole_file_open_read(path, MAP_BYTES_MAX, &text, &size);
    if (error != 0)
        return error;
    error =
        text[strspn(text, " \t\r\n")] == '{' ? add_json(&loaded, text) : add_lines(&loaded, text);
    if (error == 0)
        *map = loaded;
    else
        module_map_free(&loaded);
    return error;
}

const char *module_map_find(const struct module_map *map, const char *path)
{
    const char *module = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < map->count; i++) {
        const char *directory = map->entry[i].directory;
        size_t length = directory == NULL ? 0 : strlen(directory);
        if (directory != NULL && length >= longest && strncmp(path, directory, length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            module = map->entry[i].module;
            longest = length;
        }
    }
    return module;
}

void module_map_free(struct module_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        free(map->entry[i].directory);
        free(map->entry[i].module);
        free(map->entry[i].given);
    }
    free(map->entry);
    *map = (struct module_map){NULL, 0};
}
