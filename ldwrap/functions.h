/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions that a program uses from the libraries of the site's modules. Of a shared library:
 * those that the program leaves undefined and the library defines. Of an archive: those that are
 * defined by members which were linked in, and that are still in the program; all of them where the
 * program's symbols were stripped. Functions that were inlined at the link are not found.
 */
#pragma once

#include "conf/library_modules.h"
#include "ldwrap/string_list.h"
#include "submit/record/link_record.h"

struct functions {
    struct link_function *item; /* ordered by name, then module; each once; names are owned */
    size_t count;
};

#define CLEANUP_FUNCTIONS __attribute__((cleanup(functions_free)))

/* `libraries` are those of the link as the linker names them. `map_text` is the linker's text for
 * -Map, or NULL: then archives are left out. So are files that cannot be read. Modules point into
 * `map`. Returns 0 or -ENOMEM; functions_free() releases. */
int functions_find(const char *output, const struct strings *libraries, const char *map_text,
                   const struct module_map *map, struct functions *functions);

void functions_free(struct functions *functions);
