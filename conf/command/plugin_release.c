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

/* Returns how many numbers of the object are there, and have room: those that are in `numbers`. */
static size_t read_numbers(Elf *elf, const GElf_Sym *symbol, uint32_t *numbers, size_t room)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
    uint64_t size = symbol->st_size;
    if (data == NULL || data->d_buf == NULL || gelf_getshdr(section, &header) == NULL ||
        symbol->st_value < header.sh_addr)
        return 0;
    uint64_t at = symbol->st_value - header.sh_addr;
    if (size > room * sizeof numbers[0])
        size = room * sizeof numbers[0];
    if (at > data->d_size || size > data->d_size - at)
        return 0;
    memcpy(numbers, (const char *)data->d_buf + at, size);
    return size / sizeof numbers[0];
}

static void read_table(Elf *elf, Elf_Scn *table, struct plugin_releases *releases)
{
    GElf_Sym symbol;
    if (find_symbol(elf, table, "jobtrail_slurm_releases", &symbol))
        releases->count = read_numbers(elf, &symbol, releases->numbers, PLUGIN_RELEASES_MAX);
    if (find_symbol(elf, table, "jobtrail_slurm_untested", &symbol))
        read_numbers(elf, &symbol, &releases->untested, 1);
}

int plugin_releases(const char *path, struct plugin_releases *releases)
{
    GElf_Shdr header;
    struct plugin_releases found = {.count = 0};
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    while (elf != NULL && found.count == 0 && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNSYM)
            read_table(elf, section, &found);
    }
    if (elf != NULL)
        elf_end(elf);
    if (found.count == 0)
        return -ENOEXEC;
    *releases = found;
    return 0;
}
