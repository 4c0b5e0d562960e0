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

/* ---- Build-ids ------------------------------------------------------------------------------- */

enum { BUILD_ID_MAX = 64 };

/* The build-id of the ELF file `path`, at most BUILD_ID_MAX bytes at `id`. Returns its size, or 0
 * where none can be read. */
size_t elf_build_id(const char *path, unsigned char id[BUILD_ID_MAX]);

/* The same of an open file; -1 has none. */
size_t elf_build_id_of(int fd, unsigned char id[BUILD_ID_MAX]);

#endif
