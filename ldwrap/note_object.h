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
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ldwrap/elf_target.h"

/* Writes the object into the empty file `fd`, with `size` bytes at `mark` as the note's content.
 * Returns 0 or -errno (-EIO: libelf). */
int note_object_write(int fd, const struct elf_target *target, const void *mark, size_t size);

/* ---- Watermarks ------------------------------------------------------------------------------ */

/* Writes the content of XALT's note, byte for byte as XALT 3.2.4 does. The layout is in
 * submit/evidence/watermark.h, which reads it. */

/* The facts about a link that go into the program. A NULL is left out. */
struct watermark_facts {
    const char *version;
    const char *uuid;
    const char *syshost;
    const char *compiler, *compiler_path;
    const char *cwd, *host, *user, *os;
    const char *loaded_modules, *lmfiles;
    double epoch; /* seconds since the Epoch */
    bool is_utc;  /* dates are written in UTC, so that they are the same everywhere */
};

/* Puts the note's content together, malloc'ed. Values are cut at 16 KiB. NULL: out of memory. */
char *watermark_write(const struct watermark_facts *facts, size_t *size);
