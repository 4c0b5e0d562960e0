/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

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

int symbol_table_read(int fd, uint32_t type, struct symbol_table *table)
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

void symbol_table_free(struct symbol_table *table)
{
    free(table->function);
    free(table->names.bytes);
    *table = (struct symbol_table){.count = 0};
}

const char *symbol_table_find(const struct symbol_table *table, uint64_t address)
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
