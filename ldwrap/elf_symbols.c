/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/elf_symbols.h"

#include <limits.h>
#include <stddef.h>

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

int elf_symbols_each(Elf *elf, GElf_Word type, elf_symbol_taker *take, void *context)
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
