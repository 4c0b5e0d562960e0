/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_ELF_NOTE_H
#define JOBTRAIL_ELF_NOTE_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/* The content of the first note of this owner and type in `notes`; its size in `*size`. It is valid
 * as long as the ELF file is open. NULL: there is none. */
const void *elf_note_in(const Elf_Data *notes, const char *owner, uint32_t type, size_t *size);

/* The same in the segments of the open ELF file `fd`, as far as elf_segments.h reads them. The
 * caller frees it. */
void *elf_note_find(int fd, const char *owner, uint32_t type, size_t *size);

#endif
