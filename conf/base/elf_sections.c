/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_sections.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

static GElf_Shdr wide_shdr(const Elf32_Shdr *shdr)
{
    return (GElf_Shdr){
        .sh_name = shdr->sh_name,
        .sh_type = shdr->sh_type,
        .sh_flags = shdr->sh_flags,
        .sh_addr = shdr->sh_addr,
        .sh_offset = shdr->sh_offset,
        .sh_size = shdr->sh_size,
        .sh_link = shdr->sh_link,
        .sh_info = shdr->sh_info,
        .sh_addralign = shdr->sh_addralign,
        .sh_entsize = shdr->sh_entsize,
    };
}

int elf_sections_read(int fd, struct elf_sections *sections)
{
    *sections = (struct elf_sections){.shdr = NULL};
    int error = elf_segments_read(fd, &sections->file);
    const struct elf_segments *file = &sections->file;
    if (error != 0)
        return error;
    bool is_32 = file->class == ELFCLASS32;
    size_t each = is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr), size = 0;
    /* with very many sections the number stands elsewhere */
    if (file->sections > ELF_SECTIONS_MAX || (file->sections == 0 && file->sections_at != 0))
        return -EFBIG;
    size_t whole = file->sections * each;
    CLEANUP_FREE void *bytes = elf_bytes(file, file->sections_at, whole, whole, ELF_T_SHDR, &size);
    sections->shdr = bytes == NULL ? NULL : calloc(file->sections, sizeof *sections->shdr);
    if (bytes == NULL || size < whole || sections->shdr == NULL) {
        elf_sections_free(sections);
        return -ENOEXEC;
    }
    const Elf32_Shdr *of32 = bytes;
    const Elf64_Shdr *of64 = bytes;
    for (; sections->count < file->sections; sections->count++)
        sections->shdr[sections->count] =
            is_32 ? wide_shdr(&of32[sections->count]) : of64[sections->count];
    return 0;
}

void elf_sections_free(struct elf_sections *sections)
{
    free(sections->shdr);
    sections->shdr = NULL;
    sections->count = 0;
}

int elf_section_part(struct elf_sections *sections, size_t i, Elf_Type type, struct elf_part *part)
{
    if (i >= sections->count || sections->shdr[i].sh_type == SHT_NOBITS)
        return -ENOEXEC;
    const GElf_Shdr *shdr = &sections->shdr[i];
    struct elf_part read = {.bytes = NULL};
    if (shdr->sh_size > ELF_SECTION_BYTES_MAX - sections->bytes)
        return -EFBIG;
    read.bytes =
        elf_bytes(&sections->file, shdr->sh_offset, shdr->sh_size, shdr->sh_size, type, &read.size);
    if (read.bytes == NULL)
        return -ENOEXEC;
    sections->bytes += read.size;
    *part = read;
    return 0;
}

const char *elf_part_text(const struct elf_part *part, uint64_t offset)
{
    if (offset >= part->size)
        return NULL;
    const char *text = (const char *)part->bytes + offset;
    return memchr(text, '\0', part->size - offset) == NULL ? NULL : text;
}

int elf_part_copy(const struct elf_part *part, size_t offset, void *to, size_t size)
{
    if (offset > part->size || part->size - offset < size)
        return -ENOEXEC;
    memcpy(to, (const char *)part->bytes + offset, size);
    return 0;
}
