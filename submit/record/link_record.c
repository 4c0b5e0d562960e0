/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/record/link_record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/elf_segments.h"
#include "conf/base/text.h"
#include "submit/facts/file_hash.h"
#include "submit/record/json_add.h"

/* [path, sha1 or "0"] each */
static void add_libraries(struct json_object *record, const struct link_source *source)
{
    struct json_object *array = json_object_new_array();
    for (char *const *path = source->libraries; path != NULL && *path != NULL; path++) {
        struct file_hash hash = {.sha1 = "0"};
        struct json_object *pair = json_object_new_array();
        if (source->conf->hash_inputs)
            file_hash(NULL, NULL, *path, &hash);
        json_object_array_add(pair, json_bytes(text_bytes(*path)));
        json_object_array_add(pair, json_object_new_string(hash.sha1));
        json_object_array_add(array, pair);
    }
    json_add(record, "linkA", array);
}

/* Our own: module to functions. */
static struct json_object *modules(const struct link_source *source)
{
    struct json_object *table = json_object_new_object();
    for (size_t i = 0; i < source->function_count; i++) {
        const struct link_function *function = &source->functions[i];
        struct json_object *array;
        if (!json_object_object_get_ex(table, function->module, &array)) {
            array = json_object_new_array();
            json_object_object_add(table, function->module, array);
        }
        json_object_array_add(array, json_bytes(text_bytes(function->name)));
    }
    return table;
}

static void add_own(struct json_object *record, const struct link_source *source)
{
    struct json_object *table = json_object_new_object();
    unsigned char id[BUILD_ID_MAX];
    char text[2 * BUILD_ID_MAX + 1] = "0";
    size_t size = elf_build_id(source->output, id);
    if (size > 0)
        text_hex(id, size, text);
    json_add_text(table, "build_id", text);
    json_add_text(table, "linker", source->linker);
    json_add(table, "marked", json_object_new_boolean(source->marked));
    json_add_double(table, "start_time", (double)source->start_ns / 1e9);
    json_add_double(table, "end_time", (double)source->end_ns / 1e9);
    json_add(table, "moduleT", modules(source));
    json_add_int(table, "objects", (int64_t)source->objects);
    json_add_text(table, "version", JOBTRAIL_VERSION);
    json_add_text(table, "wrapper", source->wrapper);
    json_add_int(table, "uid", source->uid);
    json_add(record, "jobtrailT", table);
}

int link_record_build(const struct link_source *source, struct built_record *record)
{
    const struct capture_bytes line = {.at = source->command_line,
                                       .size = source->command_line_size};
    struct json_object *object = record_start();
    if (object == NULL)
        return -ENOMEM;
    struct json_object *table = json_object_new_object();
    struct file_hash hash;
    char path[PATH_MAX], epoch[32];
    if (realpath(source->output, path) == NULL)
        snprintf(path, sizeof path, "%s", source->output);
    file_hash(NULL, NULL, path, &hash);
    snprintf(epoch, sizeof epoch, "%.4f", (double)source->start_ns / 1e9);
    json_add_text(table, "build_epoch", epoch);
    json_add_text(table, "build_host", source->host);
    json_add_text(table, "build_syshost", record_syshost(source->conf, source->cluster));
    json_add_text(table, "build_user", source->user);
    json_add_text(table, "exec_path", path);
    json_add_text(table, "hash_id", hash.sha1);
    json_add_text(table, "link_path", source->program_path);
    json_add_text(table, "link_program", source->program);
    json_add_text(table, "uuid", source->uuid);
    json_add_text(table, "wd", source->cwd);
    json_add(object, "resultT", table);
    add_libraries(object, source);
    json_add(object, "link_line", command_line_json(source->lines, line));
    /* The names, each once, whichever module they are from; they are in order. */
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < source->function_count; i++) {
        const char *name = source->functions[i].name;
        if (i == 0 || strcmp(name, source->functions[i - 1].name) != 0)
            json_object_array_add(array, json_bytes(text_bytes(name)));
    }
    json_add(object, "function", array);
    add_own(object, source);
    record_name(record, "link", record_syshost(source->conf, source->cluster), source->user,
                source->start_ns, source->uuid);
    int result = record_finish(object, record);
    json_object_put(object);
    return result;
}
