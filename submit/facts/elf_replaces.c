/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/elf_replaces.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"

/* Linkers put at most so many entries into a table that is looked at: the largest libraries have
 * some hundred thousand. What has more counts as replaceable. */
enum { SYMBOLS_MAX = 1 << 20 };

static const char *const functions[] = {
    "execl",   "execle",  "execlp",   "execv",  "execve",  "execveat", "execvp",
    "execvpe", "fexecve", "__execve", "dlopen", "dlmopen", "syscall",  NULL,
};

static bool is_replacing(const char *name)
{
    for (size_t i = 0; functions[i] != NULL; i++)
        if (strcmp(name, functions[i]) == 0)
            return true;
    return false;
}

static bool table_imports(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || header->sh_entsize == 0 ||
        header->sh_size / header->sh_entsize > SYMBOLS_MAX)
        return true;
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return true;
        const char *name =
            symbol.st_shndx == SHN_UNDEF ? elf_strptr(elf, header->sh_link, symbol.st_name) : "";
        if (name == NULL || is_replacing(name))
            return true;
    }
    return false;
}

/* Whether an ELF file imports such a function. True also where that cannot be told: without
 * sections; or of Go, whose programs make system calls of their own. */
static bool elf_imports(Elf *elf)
{
    size_t names;
    bool has_symbols = false;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return true;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL)
            return true;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name == NULL || strncmp(name, ".go.", 4) == 0)
            return true;
        if (header.sh_type != SHT_DYNSYM)
            continue;
        has_symbols = true;
        if (table_imports(elf, section, &header))
            return true;
    }
    return !has_symbols;
}

bool elf_replaces(const char *path, uint64_t *changed_ns)
{
    struct stat status;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *changed_ns = UINT64_MAX;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        elf_version(EV_CURRENT) == EV_NONE)
        return true;
    *changed_ns = (uint64_t)status.st_ctim.tv_sec * 1000000000u + (uint64_t)status.st_ctim.tv_nsec;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool result = elf == NULL || elf_imports(elf);
    elf_end(elf);
    return result;
}
