/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_segments.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

union any_header {
    Elf32_Ehdr of32;
    Elf64_Ehdr of64;
};

union any_phdrs {
    Elf32_Phdr of32[ELF_SEGMENTS_MAX];
    Elf64_Phdr of64[ELF_SEGMENTS_MAX];
};

/* Brings `size` bytes into this machine's order, where they are. Returns 0 or -errno. */
static int translate(const struct elf_segments *segments, void *bytes, size_t size, Elf_Type type)
{
    Elf_Data data = {.d_buf = bytes, .d_type = type, .d_size = size, .d_version = EV_CURRENT};
    const Elf_Data *done = segments->class == ELFCLASS32
                               ? elf32_xlatetom(&data, &data, segments->encoding)
                               : elf64_xlatetom(&data, &data, segments->encoding);
    return done == NULL ? -ENOEXEC : 0;
}

static GElf_Phdr wide_phdr(const Elf32_Phdr *phdr)
{
    return (GElf_Phdr){
        .p_type = phdr->p_type,
        .p_flags = phdr->p_flags,
        .p_offset = phdr->p_offset,
        .p_vaddr = phdr->p_vaddr,
        .p_paddr = phdr->p_paddr,
        .p_filesz = phdr->p_filesz,
        .p_memsz = phdr->p_memsz,
        .p_align = phdr->p_align,
    };
}

static int read_phdrs(struct elf_segments *segments, uint64_t offset, size_t count)
{
    union any_phdrs phdrs;
    bool is_32 = segments->class == ELFCLASS32;
    size_t each = is_32 ? sizeof phdrs.of32[0] : sizeof phdrs.of64[0];
    if (count > ELF_SEGMENTS_MAX)
        count = ELF_SEGMENTS_MAX;
    if (count == 0 || offset > INT64_MAX)
        return 0;
    ssize_t got = io_read_at(segments->fd, &phdrs, count * each, (off_t)offset);
    if (got < 0)
        return (int)got;
    count = (size_t)got / each;
    if (count == 0)
        return 0;
    int error = translate(segments, &phdrs, count * each, ELF_T_PHDR);
    for (size_t i = 0; i < count && error == 0; i++)
        segments->phdr[segments->count++] = is_32 ? wide_phdr(&phdrs.of32[i]) : phdrs.of64[i];
    return error;
}

int elf_segments_read(int fd, struct elf_segments *segments)
{
    union any_header header;
    ssize_t got = io_read_at(fd, &header, sizeof header, 0);
    segments->count = 0;
    if (got < 0)
        return (int)got;
    if (got < EI_NIDENT || memcmp(header.of32.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf_version(EV_CURRENT) == EV_NONE)
        return -ENOEXEC;
    segments->fd = fd;
    segments->class = header.of32.e_ident[EI_CLASS];
    segments->encoding = header.of32.e_ident[EI_DATA];
    bool is_32 = segments->class == ELFCLASS32;
    size_t size = is_32 ? sizeof header.of32 : sizeof header.of64;
    if ((!is_32 && segments->class != ELFCLASS64) || (size_t)got < size ||
        translate(segments, &header, size, ELF_T_EHDR) != 0)
        return -ENOEXEC;
    segments->type = header.of32.e_type; /* at the same place in both */
    segments->machine = header.of32.e_machine;
    segments->sections_at = is_32 ? header.of32.e_shoff : header.of64.e_shoff;
    segments->sections = is_32 ? header.of32.e_shnum : header.of64.e_shnum;
    segments->names = is_32 ? header.of32.e_shstrndx : header.of64.e_shstrndx;
    return is_32 ? read_phdrs(segments, header.of32.e_phoff, header.of32.e_phnum)
                 : read_phdrs(segments, header.of64.e_phoff, header.of64.e_phnum);
}

/* The size of one thing; what is behind the last whole one is not read. Notes have sizes of their
 * own. */
static size_t size_of_one(const struct elf_segments *segments, Elf_Type type)
{
    if (type == ELF_T_NHDR || type == ELF_T_NHDR8)
        return 1;
    size_t size = segments->class == ELFCLASS32 ? elf32_fsize(type, 1, EV_CURRENT)
                                                : elf64_fsize(type, 1, EV_CURRENT);
    return size == 0 ? 1 : size;
}

void *elf_bytes(const struct elf_segments *segments, GElf_Off offset, uint64_t file_size,
                size_t most, Elf_Type type, size_t *size)
{
    if (file_size == 0 || offset > INT64_MAX)
        return NULL;
    size_t room = file_size < most ? file_size : most;
    void *bytes = malloc(room);
    ssize_t got = bytes == NULL ? -1 : io_read_at(segments->fd, bytes, room, (off_t)offset);
    *size = got < 0 ? 0 : (size_t)got - (size_t)got % size_of_one(segments, type);
    if (*size > 0 && translate(segments, bytes, *size, type) == 0)
        return bytes;
    free(bytes);
    return NULL;
}

/* Reads the bytes of a segment, of things of the type `type`, in this machine's order: as many as
 * there are in the file, at most ELF_SEGMENT_BYTES_MAX. Sets `*size`. Returns what the caller is to
 * free; NULL where there is nothing to be read. */
static void *elf_segment_bytes(const struct elf_segments *segments, const GElf_Phdr *phdr,
                               Elf_Type type, size_t *size)
{
    return elf_bytes(segments, phdr->p_offset, phdr->p_filesz, ELF_SEGMENT_BYTES_MAX, type, size);
}

bool elf_dynamic_entry(const struct elf_segments *segments, const void *bytes, size_t size,
                       size_t i, GElf_Dyn *entry)
{
    bool is_32 = segments->class == ELFCLASS32;
    if (i >= size / (is_32 ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn)))
        return false;
    const Elf32_Dyn *of32 = bytes;
    const Elf64_Dyn *of64 = bytes;
    *entry = is_32 ? (GElf_Dyn){.d_tag = of32[i].d_tag, .d_un.d_val = of32[i].d_un.d_val} : of64[i];
    return entry->d_tag != DT_NULL;
}

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

/* ---- Notes ----------------------------------------------------------------------------------- */

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
