/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/command/plugin_release.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

/* Finds the symbol of this name in a table of dynamic symbols. Returns whether there is one. */
static bool find_symbol(Elf *elf, Elf_Scn *table, const char *name, GElf_Sym *symbol)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(table, NULL);
    if (gelf_getshdr(table, &header) == NULL || header.sh_entsize == 0 || data == NULL)
        return false;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize && i <= INT32_MAX; i++) {
        const char *text = gelf_getsym(data, (int)i, symbol) == NULL
                               ? NULL
                               : elf_strptr(elf, header.sh_link, symbol->st_name);
        if (text != NULL && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* The value of an object of 32 bits; 0 where it cannot be read. */
static uint32_t symbol_value(Elf *elf, const GElf_Sym *symbol)
{
    uint32_t value = 0;
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL || gelf_getshdr(section, &header) == NULL ||
        symbol->st_value < header.sh_addr)
        return 0;
    uint64_t at = symbol->st_value - header.sh_addr;
    if (at <= data->d_size && sizeof value <= data->d_size - at)
        memcpy(&value, (const char *)data->d_buf + at, sizeof value);
    return value;
}

static unsigned read_release(int fd, const char **why)
{
    GElf_Sym symbol;
    GElf_Shdr header;
    uint32_t version = 0;
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    *why = "no plugin of Slurm's";
    while (elf != NULL && version == 0 && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNSYM &&
            find_symbol(elf, section, "plugin_version", &symbol))
            version = symbol_value(elf, &symbol);
    }
    if (elf != NULL)
        elf_end(elf);
    return version >> 8;
}

unsigned plugin_release(const char *path, const char **why)
{
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        *why = strerror(errno);
        return 0;
    }
    return read_release(fd, why);
}
