/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the objects of this process import of MPI, and of libraries that [routines] designates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/designation.h"
#include "preload/image.h"
#include "preload/loaded.h"

enum { TIMED_OBJECTS_MAX = 1024 };

struct timed_object {
    struct loaded loaded;
    bool is_mpi;     /* it is a part of MPI */
    bool is_runtime; /* it is of Open MPI, and has none of the routines */
    bool is_designated;
    bool is_left;   /* its own calls are not looked at */
    bool is_silent; /* it cannot be asked what it defines */
    bool is_below;  /* MPI uses it */
    uint32_t after; /* of designation_after() */
};

struct timed_search {
    const struct image *image;
    struct designation rules;
    bool has_rules;
    bool is_later;  /* what dlopen(3) has loaded is looked at */
    bool is_late;   /* it may have been called before */
    bool is_again;  /* it has been looked at before */
    uint32_t found; /* objects of MPI, and designated ones */
    uint32_t parts; /* objects of MPI, and of its runtime */
    uint32_t start; /* of timed_start_count(); 0: not known yet */
    uint32_t count;
    struct timed_object object[TIMED_OBJECTS_MAX];
};

/* How many objects are of the loader's start, at the beginning of the search. */
uint32_t timed_start_count(struct timed_search *search);

/* Looks at all objects of the link map. `policy` is the base of the usable rules; NULL: there are
 * none. It, and the image, are to stay. */
void timed_search_begin(struct timed_search *search, const struct image *image, const void *policy);

#ifdef __LP64__

/* What an object imports. */
struct timed_import {
    const char *name;
    uint32_t flags; /* enum profile_routine_flag */
    struct timed_object *library;
    const ElfW(Sym) * symbol; /* of the library; NULL: which one is not known */
    bool is_unknown;          /* it cannot be timed, or need not be what its name says */
};

/* Whether one object alone defines it. The order in which the loader asks those that are loaded
 * later is not known. */
bool timed_search_is_alone(const struct timed_search *search, const struct timed_import *import);

/* Whether the import is a routine that is to be counted. */
bool timed_search_import(struct timed_search *search, const struct timed_object *object,
                         const ElfW(Rela) * relocation, struct timed_import *import);

/* Calls `each` for the slots of an object that calls may go through. `is_seen`: it is one of calls
 * alone, or the object has none of these beside compilers', as with -fno-plt: else an address is
 * taken, and where the object calls the routine as well, the linker makes one slot of both. */
typedef void timed_slot_function(struct timed_search *search, struct timed_object *object,
                                 const ElfW(Rela) * relocation, bool is_seen);
void timed_search_slots(struct timed_search *search, struct timed_object *object,
                        timed_slot_function *each);

#endif
