/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is kept of the routines that are watched: a mapping of its own, which forked children have
 * too, as the slots of their tables lead to stubs. It is never given back.
 */
#ifndef JOBTRAIL_ROUTINE_MEMORY_H
#define JOBTRAIL_ROUTINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/clock.h"
#include "preload/ledger.h"
#include "preload/loaded.h"
#include "preload/routine_stubs.h"

enum {
    ROUTINE_LIBRARIES_MAX = 32, /* designated ones: a bit each */
    ROUTINE_OBJECTS_MAX = 1024, /* of the link map */
};

/* A designated library: one that is loaded, or an archive of which parts were linked in. */
struct routine_library {
    const struct link_map *entry; /* NULL: an archive */
    const char *name;             /* the soname, or the archive's name */
    uint32_t object;              /* its number; 0: an archive */
    uint32_t state;               /* of the policy's automaton, after "routine:NAME:" */
};

struct routine_object {
    struct loaded loaded;
    uint32_t first, count; /* of its entries */
    bool is_executable;
};

struct routine_memory {
    struct routine_entry entry[ROUTINE_STUBS + 1];
    uint32_t entry_count;
    uint32_t library_count;
    uint32_t object_count;
    bool is_counted;
    const struct ledger_slot *slot; /* shared; NULL: nothing is noted */
    uint64_t random;                /* the slot's, by which it is known */
    struct ledger_routines *shared;
    size_t field_at; /* of the content of the LEDGER_ROUTINES field, in the fields */
    clock_function *now;
    struct routine_library library[ROUTINE_LIBRARIES_MAX];
    struct routine_object object[ROUTINE_OBJECTS_MAX + 1]; /* the last one has what was linked in */
};

#endif
