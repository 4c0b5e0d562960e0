/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The segments of an ELF file that anybody may have made. libelf takes memory for as many sections
 * and bytes as a file speaks of, which a sparse file of some blocks has in gigabytes: so the file
 * is read here without it, and within bounds.
 */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More segments, and longer ones of notes or dynamic entries, are not read. */
enum { ELF_SEGMENTS_MAX = 64, ELF_SEGMENT_BYTES_MAX = 1 << 20 };

struct elf_segments {
    int fd;
    unsigned char class, encoding; /* ELFCLASS32 or 64; ELFDATA2LSB or MSB */
    uint16_t type;                 /* ET_DYN and so on */
    uint16_t machine;              /* EM_X86_64 and so on */
    GElf_Off sections_at;          /* for elf_sections.h: the headers of sections */
    size_t sections, names;        /* how many, and which has their names */
    GElf_Phdr phdr[ELF_SEGMENTS_MAX];
    size_t count;
};

/* Reads those of the open file `fd`, which must stay open as long as they are used. Returns 0 or
 * -errno: -ENOEXEC where it is no ELF file. */
int elf_segments_read(int fd, struct elf_segments *segments);

/* The same of `most` bytes at the most of any part of the file. */
void *elf_bytes(const struct elf_segments *segments, GElf_Off offset, uint64_t file_size,
                size_t most, Elf_Type type, size_t *size);

/* The entry `i` of the dynamic section or segment that has these bytes. Returns whether there is
 * one: DT_NULL is none. */
bool elf_dynamic_entry(const struct elf_segments *segments, const void *bytes, size_t size,
                       size_t i, GElf_Dyn *entry);

/* The soname of the open ELF file `fd`, cut to `size` bytes with its NUL, as its segments tell it:
 * "" where it has none. The bytes are the file's own. */
void elf_soname(int fd, char *name, size_t size);

/* ---- Notes ----------------------------------------------------------------------------------- */

/* The content of the first note of this owner and type in `notes`; its size in `*size`. It is valid
 * as long as the ELF file is open. NULL: there is none. */
const void *elf_note_in(const Elf_Data *notes, const char *owner, uint32_t type, size_t *size);

/* The same in the segments of the open ELF file `fd`, as far as elf_segments.h reads them. The
 * caller frees it. */
void *elf_note_find(int fd, const char *owner, uint32_t type, size_t *size);

/* ---- Build-ids ------------------------------------------------------------------------------- */

enum { BUILD_ID_MAX = 64 };

/* The build-id of the ELF file `path`, at most BUILD_ID_MAX bytes at `id`. Returns its size, or 0
 * where none can be read. */
size_t elf_build_id(const char *path, unsigned char id[BUILD_ID_MAX]);

/* The same of an open file; -1 has none. */
size_t elf_build_id_of(int fd, unsigned char id[BUILD_ID_MAX]);
