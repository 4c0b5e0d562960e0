/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_soname.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "conf/base/io.h"

enum { SEGMENTS_MAX = 64, ENTRIES_MAX = 4096 };

struct segments {
    GElf_Phdr phdr[SEGMENTS_MAX];
    size_t count;
};

static void read_segments(Elf *elf, struct segments *segments)
{
    size_t count;
    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++)
        if (gelf_getphdr(elf, (int)i, &segments->phdr[segments->count]) != NULL)
            segments->count++;
}

/* Where in the file the byte of this address is. */
static bool find_offset(const struct segments *segments, GElf_Addr address, GElf_Off *offset)
{
    for (size_t i = 0; i < segments->count; i++) {
        const GElf_Phdr *phdr = &segments->phdr[i];
        if (phdr->p_type == PT_LOAD && address >= phdr->p_vaddr &&
            address - phdr->p_vaddr < phdr->p_filesz) {
            *offset = phdr->p_offset + (address - phdr->p_vaddr);
            return true;
        }
    }
    return false;
}

/* The place of the soname in the file, by the entries of the dynamic segment. */
static bool find_name(Elf *elf, const struct segments *segments, const GElf_Phdr *dynamic,
                      GElf_Off *offset)
{
    GElf_Xword strings = 0, name = 0;
    GElf_Dyn entry = {.d_tag = DT_DEBUG};
    bool has_name = false;
    Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)dynamic->p_offset, dynamic->p_filesz, ELF_T_DYN);
    for (int i = 0; i < ENTRIES_MAX && entry.d_tag != DT_NULL; i++) {
        if (data == NULL || gelf_getdyn(data, i, &entry) == NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            strings = entry.d_un.d_ptr;
        if (entry.d_tag == DT_SONAME) {
            name = entry.d_un.d_val;
            has_name = true;
        }
    }
    return has_name && strings + name >= strings && find_offset(segments, strings + name, offset);
}

void elf_soname(int fd, char *name, size_t size)
{
    struct segments segments = {.count = 0};
    GElf_Off offset;
    name[0] = '\0';
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL)
        return;
    read_segments(elf, &segments);
    for (size_t i = 0; i < segments.count && name[0] == '\0'; i++)
        if (segments.phdr[i].p_type == PT_DYNAMIC &&
            find_name(elf, &segments, &segments.phdr[i], &offset) && offset <= INT64_MAX) {
            ssize_t got = io_read_at(fd, name, size - 1, (off_t)offset);
            name[got < 0 ? 0 : got] = '\0';
        }
    elf_end(elf);
}
