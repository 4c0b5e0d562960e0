/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "functions.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"

static int compare_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int has(const struct strings *sorted, const char *name)
{
    return sorted->count > 0 &&
           bsearch(&name, sorted->item, sorted->count, sizeof name, compare_text) != NULL;
}

/* An ELF file or archive that is open. */
struct opened {
    int fd;
    Elf *elf;
};

static int open_elf(const char *path, struct opened *opened)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -EIO;
    opened->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened->fd < 0)
        return -errno;
    opened->elf = elf_begin(opened->fd, ELF_C_READ_MMAP, NULL);
    if (opened->elf != NULL)
        return 0;
    close(opened->fd);
    return -EINVAL;
}

static void close_elf(struct opened *opened)
{
    elf_end(opened->elf);
    close(opened->fd);
}

/* Called for each symbol that other objects see; returns 0 to go on. */
typedef int symbol_taker(void *context, const char *name, const GElf_Sym *symbol);

static int each_in_section(Elf *elf, Elf_Scn *section, symbol_taker *take, void *context)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = elf_getdata(section, NULL);
    int result = 0;
    if (data == NULL || gelf_getshdr(section, &header) == NULL || header.sh_entsize == 0)
        return 0;
    size_t count = header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count && i < INT_MAX && result == 0; i++) {
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            break;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name != NULL && name[0] != '\0' && GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
            result = take(context, name, &symbol);
    }
    return result;
}

/* The symbols of the tables of one type, SHT_SYMTAB or SHT_DYNSYM. */
static int each_symbol(Elf *elf, GElf_Word type, symbol_taker *take, void *context)
{
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    int result = 0;
    while (result == 0 && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type)
            result = each_in_section(elf, section, take, context);
    }
    return result;
}

static int is_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* What the program has and what it lacks. */
struct program {
    struct strings undefined; /* ordered */
    struct strings defined;   /* functions, ordered; empty: no symbols are left */
};

static int take_undefined(void *context, const char *name, const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx != SHN_UNDEF || (type != STT_FUNC && type != STT_NOTYPE))
        return 0;
    return strings_add(context, name);
}

static int take_defined(void *context, const char *name, const GElf_Sym *symbol)
{
    return is_function(symbol) ? strings_add(context, name) : 0;
}

static void sort(struct strings *list)
{
    if (list->count > 0)
        qsort(list->item, list->count, sizeof *list->item, compare_text);
}

static int read_program(const char *path, struct program *program)
{
    struct opened opened;
    if (open_elf(path, &opened) != 0)
        return 0;
    int result = each_symbol(opened.elf, SHT_DYNSYM, take_undefined, &program->undefined);
    if (result == 0)
        result = each_symbol(opened.elf, SHT_SYMTAB, take_defined, &program->defined);
    close_elf(&opened);
    sort(&program->undefined);
    sort(&program->defined);
    return result;
}

/* One library that is being looked through. */
struct library {
    const struct program *program;
    const char *module;
    struct functions *found;
};

static int add(struct library *library, const char *name)
{
    struct functions *found = library->found;
    char *copy = strdup(name);
    struct link_function *item =
        copy == NULL ? NULL : reallocarray(found->item, found->count + 1, sizeof *item);
    if (item == NULL) {
        free(copy);
        return -ENOMEM;
    }
    item[found->count++] = (struct link_function){copy, library->module};
    found->item = item;
    return 0;
}

static int take_shared(void *context, const char *name, const GElf_Sym *symbol)
{
    struct library *library = context;
    if (!is_function(symbol) || !has(&library->program->undefined, name))
        return 0;
    return add(library, name);
}

static int take_member(void *context, const char *name, const GElf_Sym *symbol)
{
    struct library *library = context;
    const struct strings *defined = &library->program->defined;
    if (!is_function(symbol) || (defined->count > 0 && !has(defined, name)))
        return 0;
    return add(library, name);
}

/* Whether the map shows ARCHIVE(MEMBER): maps name the members that were linked in, and no others.
 */
static int is_linked_in(const char *map_text, const char *archive, const char *member)
{
    CLEANUP_FREE char *text = NULL;
    if (asprintf(&text, "%s(%s)", archive, member) < 0) {
        text = NULL;
        return 0;
    }
    return strstr(map_text, text) != NULL;
}

/* The index has the symbols of members whose code is the compiler's intermediate one too. */
static int each_in_index(Elf *archive, int64_t offset, struct library *library)
{
    size_t count;
    const Elf_Arsym *index = elf_getarsym(archive, &count);
    int result = 0;
    for (size_t i = 0; index != NULL && i < count && result == 0; i++) {
        if (index[i].as_name != NULL && (int64_t)index[i].as_off == offset &&
            has(&library->program->defined, index[i].as_name))
            result = add(library, index[i].as_name);
    }
    return result;
}

static int look_through_member(Elf *archive, Elf *member, struct library *library)
{
    size_t before = library->found->count;
    int64_t offset = elf_getaroff(member);
    int result =
        elf_kind(member) == ELF_K_ELF ? each_symbol(member, SHT_SYMTAB, take_member, library) : 0;
    if (result == 0 && library->found->count == before)
        result = each_in_index(archive, offset, library);
    return result;
}

static int look_through_archive(const char *path, const struct opened *opened, const char *map_text,
                                struct library *library)
{
    int result = 0;
    Elf_Cmd command = ELF_C_READ_MMAP;
    for (Elf *member;
         result == 0 && (member = elf_begin(opened->fd, command, opened->elf)) != NULL;) {
        const Elf_Arhdr *header = elf_getarhdr(member);
        if (header != NULL && header->ar_name != NULL && header->ar_name[0] != '/' &&
            is_linked_in(map_text, path, header->ar_name))
            result = look_through_member(opened->elf, member, library);
        command = elf_next(member);
        elf_end(member);
    }
    return result;
}

static int look_through(const char *path, const char *map_text, struct library *library)
{
    struct opened opened;
    GElf_Ehdr header;
    int result = 0;
    if (open_elf(path, &opened) != 0)
        return 0;
    if (elf_kind(opened.elf) == ELF_K_AR && map_text != NULL)
        result = look_through_archive(path, &opened, map_text, library);
    else if (elf_kind(opened.elf) == ELF_K_ELF && gelf_getehdr(opened.elf, &header) != NULL &&
             header.e_type == ET_DYN)
        result = each_symbol(opened.elf, SHT_DYNSYM, take_shared, library);
    close_elf(&opened);
    return result;
}

static int compare_functions(const void *left, const void *right)
{
    const struct link_function *a = left, *b = right;
    int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : strcmp(a->module, b->module);
}

/* In order, and each once. */
static void arrange(struct functions *functions)
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

int functions_find(const char *output, const struct strings *inputs, const char *map_text,
                   const struct module_map *map, struct functions *functions)
{
    struct program program = {{NULL, 0}, {NULL, 0}};
    struct functions found = {NULL, 0};
    int result = read_program(output, &program);
    for (size_t i = 0; i < inputs->count && result == 0; i++) {
        char real[PATH_MAX];
        struct library library = {&program, NULL, &found};
        if (realpath(inputs->item[i], real) != NULL)
            library.module = module_map_find(map, real);
        if (library.module != NULL)
            result = look_through(inputs->item[i], map_text, &library);
    }
    strings_free(&program.undefined);
    strings_free(&program.defined);
    arrange(&found);
    if (result == 0)
        *functions = found;
    else
        functions_free(&found);
    return result;
}

void functions_free(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free((char *)functions->item[i].name);
    free(functions->item);
    *functions = (struct functions){NULL, 0};
}
