/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A relocatable object with other names. Nothing moves: the new names are put behind the end of the
 * object, as a longer table of texts, and the words that lead to them are changed. So code, data,
 * relocations, groups and debug information are the same bytes as before.
 */
#pragma once

#include <stddef.h>

#include "contrib/routines/robj/object_read.h"

/* What becomes of one symbol. */
struct symbol_edit {
    size_t symbol; /* its number */
    const char *name;
    const GElf_Sym *like; /* NULL, or a symbol whose binding and visibility it gets */
};

/* Other bytes for a section, which has some in the file. */
struct section_edit {
    size_t section;
    const void *bytes;
    size_t size;
};

struct object_edit {
    const struct symbol_edit *symbols;
    size_t symbol_count;
    struct section_edit section; /* of section 0: none */
};

/* Makes the object anew, in memory that the caller frees. Returns 0; -ENOMEM; -EFBIG where it grows
 * beyond what its headers can say; or -ENOEXEC where the object is damaged. */
int object_edit(const struct object *object, const struct object_edit *edit, unsigned char **bytes,
                size_t *size);
