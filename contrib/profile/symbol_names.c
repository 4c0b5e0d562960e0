/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/symbol_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_build_id.h"
#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "contrib/profile/symbol_table.h"

/* More distinct objects of one job are not read, nor any where the tables of those before have
 * TABLES_BYTES or more; their functions have offsets. */
enum { OBJECTS_MAX = 4096, TABLES_BYTES = 256 << 20, DEBUG_PATH_SIZE = 4096 };

struct symbol_object {
    char *path; /* owned */
    unsigned char build_id[PROFILE_BUILD_ID];
    size_t build_id_size;
    struct symbol_table table;
};

static int open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The file is the one that was loaded, as far as that can be told. */
static bool is_same(int fd, const struct profiled_object *object)
{
    unsigned char id[BUILD_ID_MAX];
    size_t size = elf_build_id_of(fd, id);
    return size == object->build_id_size && memcmp(id, object->build_id, size) == 0;
}

static int open_debug(const struct symbol_names *names, const struct profiled_object *object)
{
    char hex[2 * PROFILE_BUILD_ID + 1], path[DEBUG_PATH_SIZE];
    if (object->build_id_size < 2)
        return -1;
    text_hex(object->build_id, object->build_id_size, hex);
    snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", names->debug, hex, hex + 2);
    return open_file(path);
}

static void read_table(const struct symbol_names *names, const struct profiled_object *object,
                       struct symbol_table *table)
{
    const char *path = object->path[0] != '\0' ? object->path : names->executable;
    CLEANUP_CLOSE int fd = path == NULL || path[0] != '/' ? -1 : open_file(path);
    bool has_file = fd >= 0 && is_same(fd, object);
    if (has_file && symbol_table_read(fd, SHT_SYMTAB, table) == 0)
        return;
    symbol_table_free(table);
    CLEANUP_CLOSE int debug = open_debug(names, object);
    if (debug >= 0 && symbol_table_read(debug, SHT_SYMTAB, table) == 0)
        return;
    symbol_table_free(table);
    if (has_file && symbol_table_read(fd, SHT_DYNSYM, table) == 0)
        return;
    symbol_table_free(table);
}

/* The table of the object: those that were asked for last are mostly asked for next. */
static struct symbol_object *find_object(struct symbol_names *names,
                                         const struct profiled_object *object)
{
    for (size_t i = names->count; i-- > 0;) {
        struct symbol_object *there = &names->objects[i];
        if (there->build_id_size == object->build_id_size &&
            memcmp(there->build_id, object->build_id, object->build_id_size) == 0 &&
            strcmp(there->path, object->path) == 0)
            return there;
    }
    if (names->count >= OBJECTS_MAX || GROW(names->objects, names->count) != 0)
        return NULL;
    struct symbol_object *added = &names->objects[names->count];
    *added = (struct symbol_object){.path = strdup(object->path),
                                    .build_id_size = object->build_id_size};
    if (added->path == NULL)
        return NULL;
    memcpy(added->build_id, object->build_id, object->build_id_size);
    if (names->bytes < TABLES_BYTES)
        read_table(names, object, &added->table);
    names->bytes += symbol_table_bytes(&added->table);
    names->count++;
    return added;
}

/* A path is a text of the user's: no file's name is longer than NAME_MAX. */
static const char *by_offset(struct symbol_names *names, const char *path, uint64_t address)
{
    const char *slash = strrchr(path, '/');
    free(names->text);
    if (asprintf(&names->text, "%.*s+0x%" PRIx64, NAME_MAX, slash == NULL ? path : slash + 1,
                 address) < 0)
        names->text = NULL;
    return names->text;
}

const char *symbol_name(struct symbol_names *names, const struct profiled_object *object,
                        uint64_t address)
{
    if (object == NULL)
        return by_offset(names, "?", address);
    const struct symbol_object *found = find_object(names, object);
    const char *name = found == NULL ? NULL : symbol_table_find(&found->table, address);
    if (name != NULL)
        return name;
    const char *path = object->path[0] != '\0'     ? object->path
                       : names->executable != NULL ? names->executable
                                                   : "executable";
    return by_offset(names, path, address);
}

void symbol_names_free(struct symbol_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->objects[i].path);
        symbol_table_free(&names->objects[i].table);
    }
    free(names->objects);
    free(names->text);
    *names = (struct symbol_names){.count = 0};
}
