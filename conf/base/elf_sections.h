/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sections of an ELF file that anybody may have made, within bounds: see elf_segments.h.
 */
#pragma once

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/elf_segments.h"

/* Files with more sections are not read, and of one file not more bytes. The dynamic symbols of the
 * largest libraries have some ten million, and the texts of them some more. */
enum { ELF_SECTIONS_MAX = 4096, ELF_SECTION_BYTES_MAX = 128 << 20 };

struct elf_sections {
    struct elf_segments file;
    GElf_Shdr *shdr; /* owned */
    size_t count;
    size_t bytes; /* that have been read */
};

/* Reads the headers of those of the open file `fd`, which must stay open as long as they are used.
 * Returns 0, or -errno: -ENOEXEC where it is no ELF file or has no sections, -EFBIG where it has
 * too many. elf_sections_free() releases. */
int elf_sections_read(int fd, struct elf_sections *sections);
void elf_sections_free(struct elf_sections *sections);

/* The bytes of a section. */
struct elf_part {
    void *bytes; /* owned */
    size_t size;
};

/* Reads the section `i`, of things of the type `type`, in this machine's order. Returns 0, and the
 * caller frees part->bytes; or -errno: -EFBIG where it is beyond what is read of one file, -ENOEXEC
 * where the file does not have it whole. */
int elf_section_part(struct elf_sections *sections, size_t i, Elf_Type type, struct elf_part *part);

/* The text at this offset of a section of texts; NULL where there is none that ends. */
const char *elf_part_text(const struct elf_part *part, uint64_t offset);

/* Copies the `size` bytes at this offset. Returns 0, or -ENOEXEC where it does not have them. */
int elf_part_copy(const struct elf_part *part, size_t offset, void *to, size_t size);
