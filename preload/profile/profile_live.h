/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What this process alone has of its profile: memory that the kernel fills with zeros in forked
 * children.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/profile/profile_file.h"
#include "preload/profile/profile_own.h"

struct timed_own;

enum profile_live_state { LIVE_NONE = 0, LIVE_BEGINNING, LIVE_READY, LIVE_FAILED };

enum { LIVE_OBJECTS = 64 };

struct profile_range {
    uint64_t start, end;
};

struct profile_live {
    uint32_t state;   /* atomic; enum profile_live_state */
    int32_t starter;  /* atomic; the thread that begins */
    uint32_t counter; /* enum profile_counter */
    uint32_t light_ticks;
    int32_t pid;                               /* of the process that began */
    struct profile_process *process;           /* shared */
    uint64_t offset;                           /* of its chunk */
    struct profile_own *threads;               /* atomic; all that there have been */
    struct timed_own *timed;                   /* atomic; the same of those that called routines */
    bool has_routines;                         /* their names are in the file */
    uint32_t room;                             /* of the chunks of their calls */
    struct profile_routine *routines;          /* shared: so many names, and those missed */
    uint32_t objects_busy;                     /* atomic; some thread notes an object */
    uint32_t objects;                          /* atomic */
    uint32_t object_bytes;                     /* of those in the chunk */
    struct profile_range object[LIVE_OBJECTS]; /* by their number minus 1; zeros: unloaded */
    uint16_t record_bytes[LIVE_OBJECTS];       /* of each in the chunk */
    struct profile_range executable;
};

/* NULL: no function was called yet. */
struct profile_live *profile_live(void);
