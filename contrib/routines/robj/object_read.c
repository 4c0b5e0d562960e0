/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/object_read.h"

#include <limits.h>
#include <string.h>

/* Finds the symbols; at most one section has them (gABI, "Symbol Table"). */
static bool find_symbols(struct object *object)
{
    GElf_Shdr header;
    const GElf_Ehdr *file = &object->header;
    /* libelf takes an object whose sections are beyond its end for one without any */
    if (file->e_shoff > object->size ||
        file->e_shnum * (size_t)file->e_shentsize > object->size - file->e_shoff)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL)
            return false;
        if (header.sh_type != SHT_SYMTAB)
            continue;
        size_t each = object->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
        object->data = elf_getdata(section, NULL);
        if (object->symbol_section != 0 || object->data == NULL || header.sh_entsize != each ||
            header.sh_offset > object->size || header.sh_size > object->size - header.sh_offset ||
            header.sh_size / each > INT_MAX || header.sh_info > header.sh_size / each)
            return false;
        object->symbol_section = elf_ndxscn(section);
        object->symbols = header;
        object->count = header.sh_size / each;
        object->first_global = header.sh_info;
    }
    return true;
}

static const char *read_object(struct object *object)
{
    Elf *elf = object->elf;
    if (memcmp(object->bytes, "BC\xc0\xde", 4) == 0 ||
        memcmp(object->bytes, "\xde\xc0\x17\x0b", 4) == 0)
        return "is LLVM's intermediate code, for link-time optimization (LTO)";
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &object->header) == NULL)
        return "is no ELF object";
    object->is_64 = object->header.e_ident[EI_CLASS] == ELFCLASS64;
    return find_symbols(object) ? NULL : "is damaged";
}

const char *object_open(const unsigned char *bytes, size_t size, struct object *object)
{
    *object = (struct object){.bytes = bytes, .size = size};
    if (size < EI_NIDENT || elf_version(EV_CURRENT) == EV_NONE)
        return "is no ELF object";
    /* It is only read: elf_memory() would write to an image that it was told to change. */
    object->elf = elf_memory((char *)(uintptr_t)bytes, size);
    const char *fault = object->elf == NULL ? "is no ELF object" : read_object(object);
    if (fault != NULL)
        object_close(object);
    return fault;
}

void object_close(struct object *object)
{
    elf_end(object->elf);
    object->elf = NULL;
    object->count = 0;
}

static bool has_machine(const GElf_Ehdr *header)
{
    bool is_little = header->e_ident[EI_DATA] == ELFDATA2LSB;
    switch (header->e_machine) {
    case EM_X86_64:
    case EM_386:
        return is_little;
    case EM_AARCH64:
        return is_little && header->e_ident[EI_CLASS] == ELFCLASS64;
    default:
        return false;
    }
}

/* What compilers leave for their optimization at the link, beside machine code or instead of it. */
static bool is_lto_section(const char *name)
{
    return strncmp(name, ".gnu.lto_", 9) == 0 || strcmp(name, ".llvmbc") == 0 ||
           strcmp(name, ".llvm.lto") == 0;
}

const char *object_refusal(const struct object *object)
{
    size_t names;
    GElf_Shdr header;
    if (object->header.e_type != ET_REL)
        return "is no relocatable object";
    if (!has_machine(&object->header))
        return "is for a machine other than x86 and AArch64";
    if (object->header.e_shnum == 0 || elf_getshdrstrndx(object->elf, &names) != 0)
        return "has too many sections, or none";
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        const char *name = gelf_getshdr(section, &header) == NULL
                               ? NULL
                               : elf_strptr(object->elf, names, header.sh_name);
        if (name == NULL)
            return "is damaged";
        if (is_lto_section(name))
            return "has intermediate code for link-time optimization (LTO), with names that "
                   "cannot be changed";
        if (header.sh_type == SHT_SYMTAB_SHNDX)
            return "has too many sections, or none";
    }
    return NULL;
}

bool object_symbol(const struct object *object, size_t i, GElf_Sym *symbol, const char **name)
{
    if (i >= object->count || gelf_getsym(object->data, (int)i, symbol) == NULL)
        return false;
    *name = elf_strptr(object->elf, object->symbols.sh_link, symbol->st_name);
    return *name != NULL;
}

bool object_section_of(const struct object *object, const GElf_Sym *symbol, GElf_Shdr *section)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
        return false;
    Elf_Scn *found = elf_getscn(object->elf, symbol->st_shndx);
    return found != NULL && gelf_getshdr(found, section) != NULL;
}

static bool names_symbol(Elf_Data *data, const GElf_Shdr *header, size_t i)
{
    size_t count = header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
    for (size_t at = 0; at < count && at < INT_MAX; at++) {
        GElf_Rel rel;
        GElf_Rela rela;
        if (header->sh_type == SHT_REL && gelf_getrel(data, (int)at, &rel) != NULL &&
            GELF_R_SYM(rel.r_info) == i)
            return true;
        if (header->sh_type == SHT_RELA && gelf_getrela(data, (int)at, &rela) != NULL &&
            GELF_R_SYM(rela.r_info) == i)
            return true;
    }
    return false;
}

bool object_refers_to(const struct object *object, size_t i)
{
    GElf_Shdr header, target;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL ||
            (header.sh_type != SHT_REL && header.sh_type != SHT_RELA))
            continue;
        Elf_Scn *of = elf_getscn(object->elf, header.sh_info);
        Elf_Data *data = elf_getdata(section, NULL);
        if (of != NULL && gelf_getshdr(of, &target) != NULL && (target.sh_flags & SHF_ALLOC) != 0 &&
            data != NULL && names_symbol(data, &header, i))
            return true;
    }
    return false;
}
