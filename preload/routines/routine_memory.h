/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is kept of the routines that are watched: a mapping of its own, which forked children have
 * too, as the slots of their tables lead to stubs. It is never given back. What a start writes to
 * lies together: each page costs more than what is written there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/clock.h"
#include "preload/image.h"
#include "preload/ledger.h"
#include "preload/loaded.h"
#include "preload/routines/routine_list.h"
#include "preload/routines/routine_stubs.h"

enum {
    ROUTINE_LIBRARIES_MAX = 32, /* designated ones: a bit each */
    ROUTINE_OBJECTS_MAX = 1024, /* of the link map */
    ROUTINE_NAMES_BYTES = 192 << 10,
    ROUTINE_LOADING_MAX = 64, /* slots of dlopen(3) and its kin that are pointed to stubs again */
};

/* A designated library: one that is loaded, or an archive of which parts were linked in. */
struct designated_library {
    const struct link_map *entry; /* NULL: an archive */
    const char *name;             /* the soname, or the archive's name */
    uint32_t object;              /* its number; 0: an archive */
    uint32_t state;               /* of the policy's automaton, after "routine:NAME:" */
    uint32_t number;              /* in the list, or ROUTINE_LIST_FULL */
};

struct routine_object {
    struct loaded loaded;
    uint32_t first, count; /* of its entries */
    bool is_executable;
    bool is_new; /* its slots do not lead to stubs yet */
};

/* What the entry of a function of dlopen(3) and its kin has in the place of its cell. */
enum routine_loading {
    ROUTINE_LOADING_NOT,
    ROUTINE_LOADING_OPEN,
    ROUTINE_LOADING_LOOK_UP,
    ROUTINE_LOADING_CLOSE,
    ROUTINE_LOADING_CONFINE, /* prctl(2), without which few programs enter a sandbox */
    ROUTINE_LOADING_SYSCALL, /* syscall(2), by which others enter one */
};

/* A slot of dlopen(3) and its kin, of an object of the start. */
struct routine_pointer {
    const char *name;
    uint32_t entry; /* its number */
};

struct routine_memory {
    uint32_t entry_count;
    uint32_t library_count;
    uint32_t object_count;
    /* Of the start: these stay. */
    uint32_t start_entries, start_libraries, start_objects;
    uint32_t pointer_count;
    uint32_t first_objects; /* of the start, without what constructors have loaded; where counted */
    uint32_t vectors;       /* atomic; routine_bind.c's, from the first function that is chosen */
    bool is_counted;
    uint8_t is_looking;  /* atomic; some thread looks at what was loaded later */
    uint8_t is_confined; /* atomic; a system call may end the process: none is made any more */
    uint8_t has_loaded;  /* atomic; something may have been loaded since somebody looked */
    uint8_t had_threads; /* atomic; the process had several threads when somebody asked */
    uint32_t closes;     /* atomic; calls of dlclose(3): something may have been unloaded */
    uint64_t adds, subs; /* what the loader had loaded and unloaded when somebody looked last */
    int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *); /* dl_iterate_phdr(3) */
    const char *is_single; /* glibc's __libc_single_threaded; NULL: not there, or not known yet */
    struct image image;
    const void *policy;
    size_t names_used;
    const struct ledger_slot *slot; /* shared; NULL: nothing is noted */
    uint64_t random;                /* the slot's, by which it is known */
    struct routine_list list;
    size_t list_at; /* in the fields of the capture */
    clock_function *now;
    struct routine_pointer pointer[ROUTINE_LOADING_MAX];
    struct designated_library library[ROUTINE_LIBRARIES_MAX];
    struct routine_object object[ROUTINE_OBJECTS_MAX + 1]; /* after those of the start comes one
                                                              that has what was linked in */
    struct routine_entry entry[ROUTINE_STUBS + 1];
    char names[ROUTINE_NAMES_BYTES]; /* copies: a library that was loaded later may be unloaded
                                        before it is called */
};

/* NULL: no routine is watched. */
extern struct routine_memory *routine_known __attribute__((visibility("hidden")));
