/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_note.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"

/* ---- Notes ----------------------------------------------------------------------------------- */

static size_t padded(size_t at, const Elf_Data *notes)
{
    size_t align = notes->d_type == ELF_T_NHDR8 ? 8 : 4;
    return (at + align - 1) / align * align;
}

/* The note at `at`, and where its content is and the next one. Returns whether it is whole. */
static bool get_note(const Elf_Data *notes, size_t at, Elf64_Nhdr *note, size_t *content,
                     size_t *next)
{
    if (at > notes->d_size || notes->d_size - at < sizeof *note)
        return false;
    memcpy(note, (const char *)notes->d_buf + at, sizeof *note);
    if (note->n_namesz > notes->d_size - at - sizeof *note)
        return false;
    *content = padded(at + sizeof *note + note->n_namesz, notes);
    if (*content > notes->d_size || note->n_descsz > notes->d_size - *content)
        return false;
    *next = padded(*content + note->n_descsz, notes);
    return true;
}

const void *elf_note_in(const Elf_Data *notes, const char *owner, uint32_t type, size_t *size)
{
    Elf64_Nhdr note; /* that of 32 bits is the same */
    const char *bytes = notes->d_buf;
    size_t content, next;
    for (size_t at = 0; get_note(notes, at, &note, &content, &next); at = next)
        if (note.n_type == type && note.n_namesz == strlen(owner) + 1 &&
            memcmp(bytes + at + sizeof note, owner, note.n_namesz) == 0) {
            *size = note.n_descsz;
            return bytes + content;
        }
    return NULL;
}

/* A segment's alignment does not tell how notes are padded in it: mold puts notes of both kinds
 * into one that is aligned to 8. */
static void *in_segment(const struct elf_segments *segments, const GElf_Phdr *phdr,
                        const char *owner, uint32_t type, size_t *size)
{
    static const Elf_Type paddings[] = {ELF_T_NHDR8, ELF_T_NHDR};
    void *copy = NULL;
    for (size_t i = phdr->p_align == 8 ? 0 : 1; i < 2 && copy == NULL; i++) {
        Elf_Data notes = {.d_type = paddings[i]};
        CLEANUP_FREE void *bytes = elf_segment_bytes(segments, phdr, paddings[i], &notes.d_size);
        notes.d_buf = bytes;
        const void *found = bytes == NULL ? NULL : elf_note_in(&notes, owner, type, size);
        copy = found == NULL ? NULL : malloc(*size + 1);
        if (copy != NULL)
            memcpy(copy, found, *size);
    }
    return copy;
}

void *elf_note_find(int fd, const char *owner, uint32_t type, size_t *size)
{
    struct elf_segments segments;
    void *found = NULL;
    if (elf_segments_read(fd, &segments) != 0)
        return NULL;
    for (size_t i = 0; i < segments.count && found == NULL; i++)
        if (segments.phdr[i].p_type == PT_NOTE)
            found = in_segment(&segments, &segments.phdr[i], owner, type, size);
    return found;
}

/* ---- Build-ids ------------------------------------------------------------------------------- */

size_t elf_build_id(const char *path, unsigned char id[BUILD_ID_MAX])
{
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return elf_build_id_of(fd, id);
}

size_t elf_build_id_of(int fd, unsigned char id[BUILD_ID_MAX])
{
    struct stat status;
    size_t size = 0;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    CLEANUP_FREE void *content = elf_note_find(fd, ELF_NOTE_GNU, NT_GNU_BUILD_ID, &size);
    if (content == NULL || size > BUILD_ID_MAX)
        return 0;
    memcpy(id, content, size);
    return size;
}
