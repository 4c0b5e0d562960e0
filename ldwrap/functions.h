/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which functions a program takes from the libraries of the site's modules. Of a shared library,
 * those that the program leaves undefined and the library defines; of an archive, those that its
 * members that were linked in define and that are still in the program (all of them, where its
 * symbols were stripped). What was inlined when it was linked is no function any more.
 */
#ifndef JOBTRAIL_LDWRAP_FUNCTIONS_H
#define JOBTRAIL_LDWRAP_FUNCTIONS_H

#include "ldwrap/library_modules.h"
#include "ldwrap/string_list.h"
#include "submit/record/link_record.h"

struct functions {
    struct link_function *item; /* ordered by name, then module; each once; names are owned */
    size_t count;
};

/* `inputs` are the files of the link as the linker names them, `map_text` is what it wrote for
 * -Map, or NULL: then nothing is known of archives. What cannot be read is left out. Modules point
 * into `map`. Returns 0 or -ENOMEM; functions_free() releases. */
int functions_find(const char *output, const struct strings *inputs, const char *map_text,
                   const struct module_map *map, struct functions *functions);

void functions_free(struct functions *functions);

#endif
