/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/archive_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/grow.h"

static bool is_in_code(const struct object *object, const GElf_Sym *symbol)
{
    GElf_Shdr section;
    return object_section_of(object, symbol, &section) && (section.sh_flags & SHF_EXECINSTR) != 0;
}

static enum symbol_kind kind_of(const struct object *object, const GElf_Sym *symbol)
{
    unsigned char type = GELF_ST_TYPE(symbol->st_info);
    if (type == STT_TLS) /* a reference, too, is to a thread's own data */
        return symbol->st_shndx == SHN_UNDEF ? SYMBOL_REFERENCE : SYMBOL_TLS;
    if (symbol->st_shndx == SHN_UNDEF)
        return SYMBOL_REFERENCE;
    if (symbol->st_shndx == SHN_COMMON || type == STT_COMMON)
        return SYMBOL_COMMON;
    if (type == STT_GNU_IFUNC)
        return SYMBOL_IFUNC;
    if (type == STT_FUNC)
        return is_in_code(object, symbol) ? SYMBOL_ROUTINE : SYMBOL_DATA;
    return type == STT_NOTYPE && is_in_code(object, symbol) ? SYMBOL_UNTYPED : SYMBOL_DATA;
}

/* Old compilers have no groups, but sections of this name, which the linker keeps once. */
static bool is_grouped(const struct object *object, const GElf_Sym *symbol)
{
    size_t names;
    GElf_Shdr section;
    if (!object_section_of(object, symbol, &section))
        return false;
    const char *name = elf_getshdrstrndx(object->elf, &names) != 0
                           ? NULL
                           : elf_strptr(object->elf, names, section.sh_name);
    return (section.sh_flags & SHF_GROUP) != 0 ||
           (name != NULL && strncmp(name, ".gnu.linkonce.", 14) == 0);
}

static int read_member(const struct archive *archive, size_t member,
                       struct archive_symbols *symbols)
{
    const struct object *object = &archive->member[member].object;
    for (size_t i = object->first_global; i < object->count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!object_symbol(object, i, &symbol, &name))
            return -ENOEXEC;
        if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL || name[0] == '\0')
            continue;
        if (GROW(symbols->item, symbols->count) != 0)
            return -ENOMEM;
        symbols->item[symbols->count++] = (struct archive_symbol){
            .name = name,
            .symbol = symbol,
            .member = member,
            .number = i,
            .kind = kind_of(object, &symbol),
            .is_weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK,
            .is_grouped = is_grouped(object, &symbol),
        };
    }
    return 0;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct archive_symbol *a = *(const struct archive_symbol *const *)left,
                                *b = *(const struct archive_symbol *const *)right;
    int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : (a > b) - (a < b);
}

static int order_symbols(struct archive_symbols *symbols)
{
    symbols->by_name = calloc(symbols->count + 1, sizeof(struct archive_symbol *));
    if (symbols->by_name == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < symbols->count; i++)
        symbols->by_name[i] = &symbols->item[i];
    if (symbols->count > 0)
        qsort(symbols->by_name, symbols->count, sizeof(struct archive_symbol *), compare_symbols);
    return 0;
}

int archive_symbols_read(struct archive *archive, struct archive_symbols *symbols)
{
    struct archive_symbols found = {.count = 0};
    int error = 0;
    for (size_t i = 0; i < archive->count && error == 0; i++) {
        struct archive_member *member = &archive->member[i];
        size_t before = found.count;
        error = member->fault == NULL ? read_member(archive, i, &found) : 0;
        if (error == -ENOEXEC) {
            found.count = before;
            member->fault = "is damaged";
            object_close(&member->object);
            error = 0;
        }
    }
    if (error == 0)
        error = order_symbols(&found);
    if (error == 0)
        *symbols = found;
    else
        archive_symbols_free(&found);
    return error;
}

void archive_symbols_free(struct archive_symbols *symbols)
{
    free(symbols->item);
    free(symbols->by_name);
    *symbols = (struct archive_symbols){.count = 0};
}

/* The place of the first one whose name is not before `name`, or with `is_after`, is after it. */
static size_t find_border(const struct archive_symbols *symbols, const char *name, bool is_after)
{
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(symbols->by_name[middle]->name, name);
        if (order < 0 || (is_after && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t archive_symbols_find(const struct archive_symbols *symbols, const char *name, size_t *count)
{
    size_t at = find_border(symbols, name, false);
    *count = find_border(symbols, name, true) - at;
    return at;
}

bool archive_symbols_are_used(const struct archive_symbols *symbols, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        if (symbols->by_name[i]->kind == SYMBOL_REFERENCE)
            return true;
    return false;
}

const char *symbol_kind_name(enum symbol_kind kind)
{
    static const char *const names[SYMBOL_KINDS] = {
        [SYMBOL_ROUTINE] = "routine", [SYMBOL_REFERENCE] = "reference",
        [SYMBOL_DATA] = "data",       [SYMBOL_COMMON] = "common",
        [SYMBOL_TLS] = "tls",         [SYMBOL_IFUNC] = "ifunc",
        [SYMBOL_UNTYPED] = "untyped",
    };
    return names[kind];
}
