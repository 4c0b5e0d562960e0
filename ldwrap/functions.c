/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/functions.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "ldwrap/elf_target.h"

/* ---- Symbols --------------------------------------------------------------------------------- */

/* Called for each symbol that has a name; returns 0 to continue. */
typedef int elf_symbol_taker(void *context, const char *name, const GElf_Sym *symbol);

static int each_in_section(Elf *elf, Elf_Scn *section, elf_symbol_taker *take, void *context)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = elf_getdata(section, NULL);
    int error = 0;
    if (data == NULL || gelf_getshdr(section, &header) == NULL || header.sh_entsize == 0)
        return 0;
    size_t count = header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count && i < INT_MAX && error == 0; i++) {
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            break;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name != NULL && name[0] != '\0')
            error = take(context, name, &symbol);
    }
    return error;
}

/* The symbols of the tables of one type, SHT_SYMTAB or SHT_DYNSYM. Returns what ended it, or 0. */
static int elf_symbols_each(Elf *elf, GElf_Word type, elf_symbol_taker *take, void *context)
{
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    int error = 0;
    while (error == 0 && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type)
            error = each_in_section(elf, section, take, context);
    }
    return error;
}

static int compare_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_in_sorted(const struct strings *sorted, const char *name)
{
    return sorted->count > 0 &&
           bsearch(&name, sorted->item, sorted->count, sizeof name, compare_text) != NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* A function that other objects can use. */
static bool is_global_function(const GElf_Sym *symbol)
{
    return is_function(symbol) && GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
}

static int take_undefined(void *context, const char *name, const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx != SHN_UNDEF || (type != STT_FUNC && type != STT_NOTYPE))
        return 0;
    return strings_add(context, name);
}

/* The library that is being searched. */
struct library {
    const struct strings *undefined; /* what the program lacks, ordered */
    const char *module;
    struct functions *found;   /* of shared libraries */
    struct functions *members; /* defined by members of archives that were linked in */
    struct functions *indexed; /* the same for members without a symbol table, from the index */
};

static int add_function(struct functions *to, const char *name, const char *module)
{
    char *copy = strdup(name);
    if (copy == NULL || GROW(to->item, to->count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    to->item[to->count++] = (struct link_function){copy, module};
    return 0;
}

static int take_from_shared(void *context, const char *name, const GElf_Sym *symbol)
{
    struct library *library = context;
    if (!is_global_function(symbol) || !is_in_sorted(library->undefined, name))
        return 0;
    return add_function(library->found, name, library->module);
}

static int take_from_member(void *context, const char *name, const GElf_Sym *symbol)
{
    struct library *library = context;
    return is_global_function(symbol) ? add_function(library->members, name, library->module) : 0;
}

static void sort_strings(struct strings *strings)
{
    if (strings->count > 0)
        qsort(strings->item, strings->count, sizeof *strings->item, compare_text);
}

/* The members that were linked in, in order: the map has ARCHIVE(MEMBER) of these, and of no
 * others, several times one after another. One pass, since maps and archives are large. */
static int find_members(const char *map_text, const char *archive, struct strings *members)
{
    CLEANUP_FREE char *start = NULL;
    int error = 0, length = asprintf(&start, "%s(", archive);
    if (length < 0) {
        start = NULL;
        return -ENOMEM;
    }
    for (const char *at = map_text; error == 0 && (at = strstr(at, start)) != NULL;) {
        const char *last = members->count == 0 ? "" : members->item[members->count - 1];
        at += length;
        size_t size = strcspn(at, ")\n");
        if (at[size] == ')' && (strncmp(last, at, size) != 0 || last[size] != '\0'))
            error = strings_add_bytes(members, at, size);
    }
    sort_strings(members);
    return error;
}

/* Adds the member's names from the archive's index. The index also has members that hold the
 * compiler's intermediate code (LTO) and so have no symbol table. */
static int each_in_index(Elf *archive, int64_t offset, struct library *library)
{
    size_t count;
    const Elf_Arsym *index = elf_getarsym(archive, &count);
    int error = 0;
    for (size_t i = 0; index != NULL && i < count && error == 0; i++) {
        if (index[i].as_name != NULL && (int64_t)index[i].as_off == offset)
            error = add_function(library->indexed, index[i].as_name, library->module);
    }
    return error;
}

static int search_member(Elf *archive, Elf *member, struct library *library)
{
    size_t before = library->members->count;
    int64_t offset = elf_getaroff(member);
    int error = elf_kind(member) == ELF_K_ELF
                    ? elf_symbols_each(member, SHT_SYMTAB, take_from_member, library)
                    : 0;
    if (error == 0 && library->members->count == before)
        error = each_in_index(archive, offset, library);
    return error;
}

static int search_archive(const char *path, int fd, Elf *archive, const char *map_text,
                          struct library *library)
{
    CLEANUP_STRINGS struct strings members = {NULL, 0};
    int error = find_members(map_text, path, &members);
    Elf_Cmd command = ELF_C_READ_MMAP;
    for (Elf *member;
         members.count > 0 && error == 0 && (member = elf_begin(fd, command, archive)) != NULL;) {
        const Elf_Arhdr *header = elf_getarhdr(member);
        if (header != NULL && header->ar_name != NULL && header->ar_name[0] != '/' &&
            is_in_sorted(&members, header->ar_name))
            error = search_member(archive, member, library);
        command = elf_next(member);
        elf_end(member);
    }
    return error;
}

static int search_library(const char *path, const char *map_text, struct library *library)
{
    GElf_Ehdr header;
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF Elf *elf = elf_file_open(path, ELF_C_READ_MMAP, &fd);
    if (elf_kind(elf) == ELF_K_AR && map_text != NULL)
        return search_archive(path, fd, elf, map_text, library);
    if (elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != NULL && header.e_type == ET_DYN)
        return elf_symbols_each(elf, SHT_DYNSYM, take_from_shared, library);
    return 0;
}

static int compare_functions(const void *left, const void *right)
{
    const struct link_function *a = left, *b = right;
    int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : strcmp(a->module, b->module);
}

/* Sorts the functions and removes duplicates. */
static void sort_functions(struct functions *functions)
{
    size_t kept = 0;
    if (functions->count == 0)
        return;
    qsort(functions->item, functions->count, sizeof *functions->item, compare_functions);
    for (size_t i = 1; i < functions->count; i++) {
        if (compare_functions(&functions->item[kept], &functions->item[i]) == 0)
            free((char *)functions->item[i].name);
        else
            functions->item[++kept] = functions->item[i];
    }
    functions->count = kept + 1;
}

/* The functions of archives' members, and which of them the program still has. */
struct kept {
    const struct functions *names; /* in order */
    char *is_kept;
    bool has_symbols;
};

static int compare_name(const void *name, const void *function)
{
    return strcmp(name, ((const struct link_function *)function)->name);
}

/* Local functions count too: mold makes all functions of a program local. */
static int mark_kept(void *context, const char *name, const GElf_Sym *symbol)
{
    struct kept *kept = context;
    const struct functions *names = kept->names;
    kept->has_symbols = true;
    if (!is_function(symbol) || names->count == 0)
        return 0;
    const struct link_function *found =
        bsearch(name, names->item, names->count, sizeof *names->item, compare_name);
    if (found == NULL)
        return 0;
    size_t at = (size_t)(found - names->item);
    while (at > 0 && strcmp(names->item[at - 1].name, name) == 0)
        at--;
    for (; at < names->count && strcmp(names->item[at].name, name) == 0; at++)
        kept->is_kept[at] = 1;
    return 0;
}

/* Adds those of `names` that the program has to `found`. Where the program has no symbols, adds all
 * of them or, with `needs_symbols`, none. */
static int add_kept(Elf *program, struct functions *names, bool needs_symbols,
                    struct functions *found)
{
    int error = 0;
    sort_functions(names);
    CLEANUP_FREE char *is_kept = calloc(names->count + 1, 1);
    struct kept kept = {names, is_kept, false};
    if (is_kept == NULL)
        return -ENOMEM;
    if (names->count > 0)
        error = elf_symbols_each(program, SHT_SYMTAB, mark_kept, &kept);
    for (size_t i = 0; i < names->count && error == 0; i++) {
        if (is_kept[i] || (!kept.has_symbols && !needs_symbols))
            error = add_function(found, names->item[i].name, names->item[i].module);
    }
    return error;
}

static int find_in(Elf *program, const struct strings *libraries, const char *map_text,
                   const struct module_map *map, struct functions *found)
{
    CLEANUP_STRINGS struct strings undefined = {NULL, 0};
    CLEANUP_FUNCTIONS struct functions members = {NULL, 0}, indexed = {NULL, 0};
    struct library library = {&undefined, NULL, found, &members, &indexed};
    int error = elf_symbols_each(program, SHT_DYNSYM, take_undefined, &undefined);
    sort_strings(&undefined);
    for (size_t i = 0; i < libraries->count && error == 0; i++) {
        char real[PATH_MAX];
        library.module =
            realpath(libraries->item[i], real) == NULL ? NULL : module_map_find(map, real);
        if (library.module != NULL)
            error = search_library(libraries->item[i], map_text, &library);
    }
    if (error == 0)
        error = add_kept(program, &members, false, found);
    return error == 0 ? add_kept(program, &indexed, true, found) : error;
}

int functions_find(const char *output, const struct strings *libraries, const char *map_text,
                   const struct module_map *map, struct functions *functions)
{
    struct functions found = {NULL, 0};
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF Elf *program = elf_file_open(output, ELF_C_READ_MMAP, &fd);
    int error = program == NULL ? 0 : find_in(program, libraries, map_text, map, &found);
    sort_functions(&found);
    if (error == 0)
        *functions = found;
    else
        functions_free(&found);
    return error;
}

void functions_free(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free((char *)functions->item[i].name);
    free(functions->item);
    *functions = (struct functions){NULL, 0};
}
