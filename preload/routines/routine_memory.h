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
#include "preload/routines/routine_list.h"
#include "preload/routines/routine_stubs.h"
#include "preload/slots/slots.h"

enum {
    ROUTINE_ARCHIVES_MAX = 32, /* designated ones */
    ROUTINE_NAMES_BYTES = 192 << 10,
    ROUTINE_MISSED_NAMES = 16, /* as in a profile */
};

/* A designated archive of which parts were linked in. */
struct designated_archive {
    const char *name;
    uint32_t after;  /* of designation_after() */
    uint32_t number; /* in the list, or ROUTINE_LIST_FULL */
};

struct routine_memory {
    uint32_t entry_count;
    uint32_t start_entries;   /* of the start: these stay */
    uint32_t pointed;         /* entries whose slots lead to stubs */
    uint32_t archive_entries; /* where those of archives begin; UINT32_MAX: not yet */
    uint32_t archive_count;
    uint32_t need;         /* bytes of the list if all that is watched is called */
    uint32_t vectors;      /* atomic; routine_bind.c's, from the first function that is chosen */
    uint32_t missed_names; /* in the list, or once more */
    uint32_t start_bound;  /* objects of the start, where it is certain what they bind to */
    bool is_counted;
    const struct ledger_slot *slot; /* shared; NULL: nothing is noted */
    uint64_t random;                /* the slot's, by which it is known */
    struct routine_list list;       /* without a head: there is none yet */
    size_t list_at;                 /* in the fields of the capture */
    clock_function *now;
    size_t names_used;
    struct image image;
    struct designated_archive archive[ROUTINE_ARCHIVES_MAX];
    struct slots slots; /* `user` of an object is its number in the list; `first` and `count` are of
                           its entries */
    struct routine_entry entry[ROUTINE_STUBS + 1];
    char names[ROUTINE_NAMES_BYTES]; /* copies: a library that was loaded later may be unloaded
                                        before it is called */
};

/* NULL: no routine is watched. */
extern struct routine_memory *routine_known __attribute__((visibility("hidden")));

/* A call of a routine that the program can make. */
struct routine_watch {
    const char *name;
    uint32_t length;     /* of the name */
    uint32_t library;    /* its number in the list */
    uint32_t relocation; /* the slot's, as DT_JMPREL counts them */
    uintptr_t *slot;
    bool is_lazy;
};

#if ROUTINE_STUBS > 0

/* Adds an entry. Returns whether the routine is watched, or need not be. */
bool routine_watch(struct routine_memory *memory, const struct routine_watch *watch);

/* Puts the libraries of the start into the list. */
void routine_put_libraries(struct routine_memory *memory);

#endif

/* Counts what is not watched. */
void routine_miss(struct routine_memory *memory, uint32_t count);

/* Of how many designated archives the executable has notes, up to ROUTINE_ARCHIVES_MAX. Nothing is
 * kept. */
uint32_t routine_archives_count(const struct image *image, const struct designation *rules);

/* Adds what the executable's notes (routine_note.h) tell of. */
void routine_archives_find(struct routine_memory *memory);

/* Points the slots of entries that were added to stubs. */
void routine_point_new(struct routine_memory *memory);

/* Whether the slot of the ledger is still that of the run. After a run that was
 * sampled out it is another one's. */
bool routine_is_noted(const struct routine_memory *memory);
