/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/module_map.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

#define BLANKS " \t\r\n"

/* ---- Entries --------------------------------------------------------------------------------- */

static int add_path(struct module_map *map, const char *prefix, const char *module)
{
    if (GROW(map->paths, map->count) != 0)
        return -ENOMEM;
    struct module_path *path = &map->paths[map->count];
    *path = (struct module_path){strdup(prefix), strdup(module)};
    map->count++;
    return path->prefix == NULL || path->module == NULL ? -ENOMEM : 0;
}

void module_map_free(struct module_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        free((void *)(uintptr_t)map->paths[i].prefix);
        free((void *)(uintptr_t)map->paths[i].module);
    }
    free(map->paths);
}

/* ---- Lmod's spider --------------------------------------------------------------------------- */

/* As XALT names it: NAME, or NAME(FLAVOR) for a flavor that is not the default one. */
static int add_spider(struct module_map *map, const char *prefix, struct json_object *entry)
{
    struct json_object *package = json_object_object_get(entry, "pkg");
    struct json_object *flavors = json_object_object_get(entry, "flavor");
    struct json_object *flavor = json_object_is_type(flavors, json_type_array)
                                     ? json_object_array_get_idx(flavors, 0)
                                     : NULL;
    const char *name = flavor == NULL ? "" : json_object_get_string(flavor);
    CLEANUP_FREE char *module = NULL;
    if (strncmp(name, "default", 7) == 0)
        name += name[7] == ':' ? 8 : 7;
    const char *text = json_object_get_string(package);
    if ((*name == '\0' ? asprintf(&module, "%s", text) : asprintf(&module, "%s(%s)", text, name)) <
        0) {
        module = NULL;
        return -ENOMEM;
    }
    return add_path(map, prefix, module);
}

static int read_spider(struct json_object *root, struct module_map *map, struct load_reason *reason)
{
    struct json_object *table = json_object_object_get(root, "reverseMapT");
    if (!json_object_is_type(table, json_type_object))
        return load_refuse(reason, "has no object reverseMapT");
    json_object_object_foreach(table, prefix, entry)
    {
        int error = 0;
        if (prefix[0] != '/')
            continue;
        if (json_object_is_type(entry, json_type_string))
            error = add_path(map, prefix, json_object_get_string(entry));
        else if (json_object_is_type(json_object_object_get(entry, "pkg"), json_type_string))
            error = add_spider(map, prefix, entry);
        else
            error = load_refuse(reason, "has an entry that names no module");
        if (error != 0)
            return error;
    }
    return 0;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static int add_map_line(void *map, char *line, size_t number, struct load_reason *reason)
{
    line[strcspn(line, "#")] = '\0';
    char *rest;
    const char *prefix = strtok_r(line, BLANKS, &rest);
    const char *module = strtok_r(NULL, BLANKS, &rest);
    if (prefix == NULL)
        return 0;
    if (prefix[0] != '/' || module == NULL || strtok_r(NULL, BLANKS, &rest) != NULL)
        return load_refuse(reason, "line %zu is not a path and a module", number);
    return add_path(map, prefix, module);
}

/* Calls `add` with each line of the file. */
static int each_line(FILE *file, void *context, struct load_reason *reason,
                     int (*add)(void *context, char *line, size_t number,
                                struct load_reason *reason))
{
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    int error = 0;
    for (size_t number = 1; error == 0 && getline(&line, &room, file) >= 0; number++)
        error = add(context, line, number, reason);
    return error == 0 && ferror(file) ? -EIO : error;
}

static int read_map(FILE *file, const char *path, struct module_map *map,
                    struct load_reason *reason)
{
    char first[2] = "";
    if (fscanf(file, " %1[{]", first) != 1) {
        rewind(file);
        return each_line(file, map, reason, add_map_line);
    }
    struct json_object *root = json_object_from_file(path);
    int error = root == NULL ? load_refuse(reason, "is no JSON") : read_spider(root, map, reason);
    json_object_put(root);
    return error;
}

int module_map_read(const char *path, struct module_map *map, struct load_reason *reason)
{
    *map = (struct module_map){0};
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    return file == NULL ? -errno : read_map(file, path, map, reason);
}

/* ---- Accounts -------------------------------------------------------------------------------- */

static int add_account(void *context, char *line, size_t number, struct load_reason *reason)
{
    struct account_list *list = context;
    char *rest = line;
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#')
        return 0;
    const char *account = strsep(&rest, "\t");
    const char *field = strsep(&rest, "\t");
    const char *directorate = strsep(&rest, "\t");
    if (field == NULL || rest != NULL)
        return load_refuse(reason, "line %zu is not account, field and directorate", number);
    if (GROW(list->fields, list->count) != 0)
        return -ENOMEM;
    list->fields[list->count++] = (struct account_field){
        strdup(account), strdup(field), strdup(directorate == NULL ? "" : directorate)};
    return 0;
}

int account_list_read(const char *path, struct account_list *list, struct load_reason *reason)
{
    *list = (struct account_list){0};
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    return file == NULL ? -errno : each_line(file, list, reason, add_account);
}

void account_list_free(struct account_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((void *)(uintptr_t)list->fields[i].account);
        free((void *)(uintptr_t)list->fields[i].field);
        free((void *)(uintptr_t)list->fields[i].directorate);
    }
    free(list->fields);
}
