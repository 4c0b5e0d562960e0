/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The object that carries a watermark into a link. Its sections are
 *
 *   .note.xalt.info      allocated; a note (elf(5)) of the owner "XALT" and type 0x746c6158
 *   .note.gnu.property   x86 and AArch64: the object supports all control-flow protections. Linkers
 *                        enable one only where all objects support it
 *   .note.GNU-stack      empty: no executable stack
 *
 * and no symbols.
 */
#ifndef JOBTRAIL_LDWRAP_NOTE_OBJECT_H
#define JOBTRAIL_LDWRAP_NOTE_OBJECT_H

#include <stddef.h>

#include "ldwrap/elf_target.h"

/* Writes the object into the empty file `fd`, with `size` bytes at `mark` as the note's content.
 * Returns 0 or -errno (-EIO: libelf). */
int note_object_write(int fd, const struct elf_target *target, const void *mark, size_t size);

#endif
