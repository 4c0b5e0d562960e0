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
#include "conf/base/elf_sections.h"
#include "conf/base/elf_segments.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "conf/base/text.h"

/* The functions of one ELF file that anybody may have made. */
struct symbol_function {
    uint64_t address, size; /* size 0: not known */
    uint32_t name;          /* offset in `names` */
    uint32_t rank;          /* of several at one address: which is named */
};

struct symbol_table {
    struct symbol_function *function; /* owned; by address, each once */
    size_t count;
    struct elf_part names; /* owned */
};

/* Global names are for people, local ones of compilers' making. */
static uint32_t rank_of(unsigned char info)
{
    return GELF_ST_BIND(info) == STB_GLOBAL ? 0 : GELF_ST_BIND(info) == STB_WEAK ? 1 : 2;
}

static GElf_Sym symbol_at(const struct elf_part *part, int class, size_t i)
{
    if (class == ELFCLASS64)
        return ((const Elf64_Sym *)part->bytes)[i];
    const Elf32_Sym *symbol = &((const Elf32_Sym *)part->bytes)[i];
    return (GElf_Sym){.st_name = symbol->st_name,
                      .st_info = symbol->st_info,
                      .st_shndx = symbol->st_shndx,
                      .st_value = symbol->st_value,
                      .st_size = symbol->st_size};
}

/* Of several at one address the same one for all that read the file: by name, where the rest is
 * equal. */
static int compare(const void *left, const void *right, void *context)
{
    const struct symbol_function *a = left, *b = right;
    const struct elf_part *names = context;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(elf_part_text(names, a->name), elf_part_text(names, b->name));
}

static int take_functions(const struct elf_part *part, int class, struct symbol_table *table)
{
    size_t count = part->size / (class == ELFCLASS64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    table->function = malloc((count + 1) * sizeof *table->function);
    if (table->function == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const GElf_Sym symbol = symbol_at(part, class, i);
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_part_text(&table->names, symbol.st_name);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
            name != NULL && name[0] != '\0')
            table->function[table->count++] = (struct symbol_function){
                symbol.st_value, symbol.st_size, symbol.st_name, rank_of(symbol.st_info)};
    }
    qsort_r(table->function, table->count, sizeof *table->function, compare, &table->names);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (kept == 0 || table->function[kept - 1].address != table->function[i].address)
            table->function[kept++] = table->function[i];
    table->count = kept;
    return 0;
}

/* Reads the functions of the open file's section of this type, SHT_SYMTAB or SHT_DYNSYM. Returns 0,
 * -ENOENT where there is none, or -errno as elf_sections.h. symbol_table_free() releases, in every
 * case. */
static int symbol_table_read(int fd, uint32_t type, struct symbol_table *table)
{
    struct elf_sections sections;
    *table = (struct symbol_table){.count = 0};
    int error = elf_sections_read(fd, &sections);
    if (error != 0)
        return error;
    size_t i = 0;
    while (i < sections.count && sections.shdr[i].sh_type != type)
        i++;
    struct elf_part part = {.bytes = NULL};
    error = i == sections.count ? -ENOENT : elf_section_part(&sections, i, ELF_T_SYM, &part);
    if (error == 0)
        error = elf_section_part(&sections, sections.shdr[i].sh_link, ELF_T_BYTE, &table->names);
    if (error == 0)
        error = take_functions(&part, sections.file.class, table);
    free(part.bytes);
    elf_sections_free(&sections);
    return error;
}

static void symbol_table_free(struct symbol_table *table)
{
    free(table->function);
    free(table->names.bytes);
    *table = (struct symbol_table){.count = 0};
}

/* The name of the function that has this address; NULL: none. It is the table's. */
static const char *symbol_table_find(const struct symbol_table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->function[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct symbol_function *found = &table->function[low - 1];
    if (found->size != 0 && address - found->address >= found->size)
        return NULL;
    return elf_part_text(&table->names, found->name);
}

/* More distinct objects of one job are not read, nor any where the tables of those before have
 * TABLES_BYTES or more; their functions have offsets. */
enum { OBJECTS_MAX = 4096, TABLES_BYTES = 256 << 20, DEBUG_PATH_SIZE = 4096 };

struct symbol_object {
    char *path; /* owned */
    unsigned char build_id[PROFILE_BUILD_ID];
    size_t build_id_size;
    struct symbol_table table;
};

/* The file is the one that was loaded, as far as that can be known. */
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
    return io_open_regular(AT_FDCWD, path, 0);
}

static void read_table(const struct symbol_names *names, const struct profiled_object *object,
                       struct symbol_table *table)
{
    const char *path = object->path[0] != '\0' ? object->path : names->executable;
    CLEANUP_CLOSE int fd = path == NULL || path[0] != '/' ? -1 : io_open_regular(AT_FDCWD, path, 0);
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
    names->bytes += added->table.count * sizeof *added->table.function + added->table.names.size;
    names->count++;
    return added;
}

/* A path is a text of the user's: no file's name is longer than NAME_MAX. */
static const char *by_offset(struct symbol_names *names, const char *path, uint64_t address)
{
    free(names->text);
    if (asprintf(&names->text, "%.*s+0x%" PRIx64, NAME_MAX, basename(path), address) < 0)
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
