/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looking for what a process can call of designated libraries: the imports of its objects
 * (routine_search.c), and what was linked in from prepared archives (routine_archives.c). Each gets
 * an entry and a field. Nothing is changed in the process.
 */
#ifndef JOBTRAIL_ROUTINE_SEARCH_H
#define JOBTRAIL_ROUTINE_SEARCH_H

#include "conf/policy/policy_read.h"

#include "preload/image.h"
#include "preload/routine_memory.h"

struct routine_search {
    const struct image *image;
    struct policy_table table; /* of POLICY_ROUTINE */
    struct routine_memory *memory;
    uint32_t watched, missed;
    bool is_forbidden; /* no slot may lead to a stub */
    uint32_t need;     /* bytes of the list, when all that is watched is called */
};

/* Fills `library` with the designated libraries that are loaded, and is_forbidden. Returns how many
 * there are, which may be more than there is room for. */
uint32_t routine_search_libraries(struct routine_search *search,
                                  struct routine_library library[ROUTINE_LIBRARIES_MAX]);

/* Whether a rule designates "KINDname", as "soname:libm.so.6". */
bool routine_search_is_designated(const struct routine_search *search, const char *kind,
                                  const char *name);

#if ROUTINE_STUBS > 0

/* Adds the objects of the start, and their imports of the memory's libraries. */
void routine_search_imports(struct routine_search *search);

/* Adds the imports of an object, and what it calls of dlopen(3) and its kin. */
void routine_search_object(struct routine_search *search, struct routine_object *object);

/* Adds what the executable's notes (routine_note.h) tell of. */
void routine_search_archives(struct routine_search *search);

/* Puts a library into the list. */
void routine_search_put_library(struct routine_search *search, struct routine_library *library);

/* Adds an entry for the slot by which a routine of the library of that number is called, unless a
 * rule skips it. `is_lazy`: the loader will find the routine at the first call. */
void routine_search_add(struct routine_search *search, const char *name, uint32_t library,
                        uintptr_t *slot, bool is_lazy);

#endif
#endif
