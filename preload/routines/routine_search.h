/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looking for what a process can call of designated libraries: the imports of its objects
 * (routine_search.c), and what was linked in from prepared archives (routine_archives.c). Each gets
 * an entry and a field. Nothing is changed in the process.
 */
#pragma once

#include "preload/designation.h"
#include "preload/image.h"
#include "preload/routines/routine_memory.h"

struct routine_search {
    const struct image *image;
    struct designation rules;
    struct routine_memory *memory;
    uint32_t watched, missed;
    struct loaded timer; /* libjobtrail-profile.so, whose stubs slots may lead to; `end` 0: none */
    bool is_forbidden;   /* no slot may lead to a stub */
    uint32_t need;       /* bytes of the list, when all that is watched is called */
};

/* A call of a routine that a program or library can make. */
struct routine_import {
    const char *name;
    uint32_t length; /* of the name */
    uintptr_t *slot;
    uint32_t relocation; /* the slot's, as DT_JMPREL counts them */
    bool is_lazy;        /* the loader will find the routine at the first call */
};

/* Begins a search by a usable policy. Returns whether it designates anything. */
bool routine_search_begin(struct routine_search *search, const struct image *image,
                          const void *policy);

/* Puts the objects of the start into the memory, and those of them that are designated libraries.
 * Sets is_forbidden. Returns how many libraries there are, which may be more than there is room
 * for. */
uint32_t routine_search_libraries(struct routine_search *search);

/* How many designated libraries are loaded. Nothing is kept. */
uint32_t routine_search_count(const struct routine_search *search);

/* Of how many designated archives the executable has notes, up to ROUTINE_LIBRARIES_MAX. Nothing is
 * kept. */
uint32_t routine_search_count_archives(const struct routine_search *search);

/* Whether a rule designates the library, which is loaded. */
bool routine_search_is_library(const struct routine_search *search, const struct loaded *object);

/* Whether a rule designates the archive of that name. */
bool routine_search_is_archive(const struct routine_search *search, const char *name);

#if ROUTINE_STUBS > 0

/* Adds the imports of the memory's libraries that the objects of the start have. */
void routine_search_imports(struct routine_search *search);

/* Adds the imports of an object, and what it calls of dlopen(3) and its kin. */
void routine_search_object(struct routine_search *search, struct routine_object *object);

/* What the loader binds a call of the name to, in the objects of the start. 0: not known. */
uintptr_t routine_search_function(const struct routine_memory *memory, const char *name);

/* Adds what the executable's notes (routine_note.h) tell of. */
void routine_search_archives(struct routine_search *search);

/* Puts a library into the list. */
void routine_search_put_library(struct routine_search *search, struct designated_library *library);

/* Adds an entry for an import of the library of that number, unless a rule skips it. */
void routine_search_add(struct routine_search *search, const struct routine_import *import,
                        uint32_t library);

#endif
