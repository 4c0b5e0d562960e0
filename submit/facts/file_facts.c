/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/file_facts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_sections.h"
#include "conf/base/io.h"
#include "submit/facts/hasher.h"

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

/* The entry `i` of a table of symbols: whether another object defines it, and its name. */
static bool get_symbol(const struct elf_sections *sections, const struct elf_part *table, size_t i,
                       bool *is_import, uint32_t *name)
{
    Elf32_Sym of32;
    Elf64_Sym of64;
    bool is_32 = sections->file.class == ELFCLASS32;
    int error = is_32 ? elf_part_copy(table, i * sizeof of32, &of32, sizeof of32)
                      : elf_part_copy(table, i * sizeof of64, &of64, sizeof of64);
    if (error != 0)
        return false;
    *is_import = (is_32 ? of32.st_shndx : of64.st_shndx) == SHN_UNDEF;
    *name = is_32 ? of32.st_name : of64.st_name;
    return true;
}

static bool symbols_import(const struct elf_sections *sections, const struct elf_part *table,
                           const struct elf_part *names)
{
    bool is_import;
    uint32_t at;
    for (size_t i = 0; get_symbol(sections, table, i, &is_import, &at); i++) {
        const char *name = is_import ? elf_part_text(names, at) : "";
        if (name == NULL || is_replacing(name))
            return true;
    }
    return false;
}

static bool table_imports(struct elf_sections *sections, size_t i)
{
    struct elf_part table = {.bytes = NULL}, names = {.bytes = NULL};
    bool result = elf_section_part(sections, i, ELF_T_SYM, &table) != 0 ||
                  elf_section_part(sections, sections->shdr[i].sh_link, ELF_T_BYTE, &names) != 0 ||
                  symbols_import(sections, &table, &names);
    free(table.bytes);
    free(names.bytes);
    return result;
}

static bool sections_import(struct elf_sections *sections, const struct elf_part *names)
{
    bool has_symbols = false;
    for (size_t i = 1; i < sections->count; i++) {
        const char *name = elf_part_text(names, sections->shdr[i].sh_name);
        if (name == NULL || strncmp(name, ".go.", 4) == 0)
            return true;
        if (sections->shdr[i].sh_type != SHT_DYNSYM)
            continue;
        has_symbols = true;
        if (table_imports(sections, i))
            return true;
    }
    return !has_symbols;
}

bool elf_replaces(const char *path, uint64_t *changed_ns)
{
    struct stat status;
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, path, 0);
    *changed_ns = UINT64_MAX;
    if (fd < 0 || fstat(fd, &status) != 0)
        return true;
    *changed_ns = (uint64_t)status.st_ctim.tv_sec * 1000000000u + (uint64_t)status.st_ctim.tv_nsec;
    /* Whether an ELF file imports such a function. True also where that is not known: without
     * sections, or with more than are read; or of Go, whose programs make system calls of their
     * own. */
    struct elf_sections sections;
    struct elf_part names = {.bytes = NULL};
    if (elf_sections_read(fd, &sections) != 0)
        return true;
    bool result = elf_section_part(&sections, sections.file.names, ELF_T_BYTE, &names) != 0 ||
                  sections_import(&sections, &names);
    free(names.bytes);
    elf_sections_free(&sections);
    return result;
}

enum { ENTRIES = 1024 };

static struct file_facts table[ENTRIES];
static int hasher = -1;

void file_facts_hasher(int fd)
{
    hasher = fd;
}

static unsigned slot_of(const char *path)
{
    uint32_t hash = 5381;
    for (; *path != '\0'; path++)
        hash = hash * 33 ^ (unsigned char)*path;
    return hash % ENTRIES;
}

static struct file_facts *find_facts(const char *path)
{
    char real[PATH_MAX];
    struct file_facts *facts = &table[slot_of(path)];
    if (facts->path != NULL && strcmp(facts->path, path) == 0)
        return facts;
    free(facts->path);
    free(facts->real);
    *facts = (struct file_facts){.path = strdup(path)};
    if (facts->path != NULL)
        facts->real = strdup(realpath(path, real) == NULL ? path : real);
    return facts->real == NULL ? NULL : facts;
}

const struct file_facts *file_facts(const char *path)
{
    return find_facts(path);
}

const struct file_facts *file_facts_hash(const char *path)
{
    struct file_facts *facts = find_facts(path);
    if (facts != NULL && !facts->has_hash) {
        if (hasher >= 0)
            hasher_ask(hasher, facts->real, &facts->hash);
        else
            file_hash(NULL, NULL, facts->real, &facts->hash);
        facts->has_hash = true;
    }
    return facts;
}

const struct file_facts *file_facts_build_id(const char *path)
{
    struct file_facts *facts = find_facts(path);
    if (facts != NULL && !facts->has_id) {
        facts->id_size = elf_build_id(facts->real, facts->id);
        facts->has_id = true;
    }
    return facts;
}

const struct file_facts *file_facts_replaces(const char *path)
{
    struct file_facts *facts = find_facts(path);
    if (facts != NULL && !facts->has_replaces) {
        facts->replaces = elf_replaces(facts->real, &facts->changed_ns);
        facts->has_replaces = true;
    }
    return facts;
}
