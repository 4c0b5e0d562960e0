/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trampolines: the objects that stand for prepared routines. Each jumps to its routine, and has a
 * note (preload/routines/routine_note.h) by which the library in recorded runs finds the jump. They
 * are copies of one object, which is assembled from trampoline_MACHINE.S.
 */
#pragma once

#include <stddef.h>

#include "contrib/routines/robj/object_read.h"

struct trampoline {
    struct object object;
    size_t entry, real; /* symbols: what is defined, and where it jumps to */
    size_t note;        /* section */
};

/* Reads the template. Returns 0, or -ENOEXEC where it is none. trampoline_close() releases. */
int trampoline_open(const unsigned char *bytes, size_t size, struct trampoline *template);
void trampoline_close(struct trampoline *template);

/* Makes the trampoline `name` that jumps to `real`, of the library `library`; neither name is
 * longer than a note can have. It is as global or weak, and as visible, as `like`. The caller frees
 * `*bytes`. Returns 0 or -errno. */
int trampoline_make(const struct trampoline *template, const char *name, const char *real,
                    const char *library, const GElf_Sym *like, unsigned char **bytes, size_t *size);
