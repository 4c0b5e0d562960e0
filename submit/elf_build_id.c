/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elf_build_id.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t from_notes(Elf_Data *notes, unsigned char *id)
{
    GElf_Nhdr note;
    size_t name, content, at = 0;
    while ((at = gelf_getnote(notes, at, &note, &name, &content)) > 0) {
        const char *bytes = notes->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
            note.n_descsz <= BUILD_ID_MAX) {
            memcpy(id, bytes + content, note.n_descsz);
            return note.n_descsz;
        }
    }
    return 0;
}

static size_t from_elf(Elf *elf, unsigned char *id)
{
    size_t count, size = 0;
    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        return 0;
    for (size_t i = 0; i < count && i < 64 && size == 0; i++) {
        GElf_Phdr phdr;
        if (gelf_getphdr(elf, (int)i, &phdr) == NULL || phdr.p_type != PT_NOTE)
            continue;
        Elf_Data *notes = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
                                               phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        if (notes != NULL)
            size = from_notes(notes, id);
    }
    return size;
}

size_t elf_build_id(const char *path, unsigned char id[BUILD_ID_MAX])
{
    struct stat status;
    size_t size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return 0;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && elf_version(EV_CURRENT) != EV_NONE) {
        Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
        if (elf != NULL) {
            size = from_elf(elf, id);
            elf_end(elf);
        }
    }
    close(fd);
    return size;
}
