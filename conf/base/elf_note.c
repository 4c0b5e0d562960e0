/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_note.h"

#include <string.h>

enum { SEGMENTS_MAX = 64 };

const void *elf_note_in(Elf_Data *notes, const char *owner, uint32_t type, size_t *size)
{
    GElf_Nhdr note;
    size_t name, content, at = 0;
    while ((at = gelf_getnote(notes, at, &note, &name, &content)) > 0) {
        const char *bytes = notes->d_buf;
        if (note.n_type == type && note.n_namesz == strlen(owner) + 1 &&
            memcmp(bytes + name, owner, note.n_namesz) == 0) {
            *size = note.n_descsz;
            return bytes + content;
        }
    }
    return NULL;
}

/* A segment's alignment does not tell how notes are padded in it: mold puts notes of both kinds
 * into one that is aligned to 8. */
static const void *in_segment(Elf *elf, const GElf_Phdr *phdr, const char *owner, uint32_t type,
                              size_t *size)
{
    static const Elf_Type paddings[] = {ELF_T_NHDR8, ELF_T_NHDR};
    const void *found = NULL;
    for (size_t i = phdr->p_align == 8 ? 0 : 1; i < 2 && found == NULL; i++) {
        Elf_Data *notes =
            elf_getdata_rawchunk(elf, (int64_t)phdr->p_offset, phdr->p_filesz, paddings[i]);
        if (notes != NULL)
            found = elf_note_in(notes, owner, type, size);
    }
    return found;
}

const void *elf_note_find(Elf *elf, const char *owner, uint32_t type, size_t *size)
{
    size_t count;
    const void *found = NULL;
    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count && i < SEGMENTS_MAX && found == NULL; i++) {
        GElf_Phdr phdr;
        if (gelf_getphdr(elf, (int)i, &phdr) != NULL && phdr.p_type == PT_NOTE)
            found = in_segment(elf, &phdr, owner, type, size);
    }
    return found;
}
