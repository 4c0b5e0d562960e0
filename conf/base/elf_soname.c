/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_soname.h"

#include <stdbool.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"
#include "conf/base/io.h"

enum { ENTRIES_MAX = 4096 };

/* Where in the file the byte of this address is. */
static bool find_offset(const struct elf_segments *segments, GElf_Addr address, GElf_Off *offset)
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
static bool find_name(const struct elf_segments *segments, const GElf_Phdr *dynamic,
                      GElf_Off *offset)
{
    GElf_Xword strings = 0, name = 0;
    GElf_Dyn entry;
    bool has_name = false;
    size_t size = 0;
    CLEANUP_FREE void *bytes = elf_segment_bytes(segments, dynamic, ELF_T_DYN, &size);
    for (size_t i = 0;
         bytes != NULL && i < ENTRIES_MAX && elf_dynamic_entry(segments, bytes, size, i, &entry);
         i++) {
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
    struct elf_segments segments;
    GElf_Off offset;
    name[0] = '\0';
    if (elf_segments_read(fd, &segments) != 0)
        return;
    for (size_t i = 0; i < segments.count && name[0] == '\0'; i++)
        if (segments.phdr[i].p_type == PT_DYNAMIC &&
            find_name(&segments, &segments.phdr[i], &offset) && offset <= INT64_MAX) {
            ssize_t got = io_read_at(fd, name, size - 1, (off_t)offset);
            name[got < 0 ? 0 : got] = '\0';
        }
}
