/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The routines of this program that are counted, and the chunks of its threads for them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/profile/profile_file.h"

struct timed_routine {
    const char *name; /* of an object of the start, or a copy */
    uint32_t flags;   /* enum profile_routine_flag */
};

/* Found at the start of the program; forked children have them too. */
struct timed_routines {
    uint32_t entries; /* slots that lead to stubs */
    uint32_t count;
    uint32_t missed, missed_mpi; /* atomic; as in struct profile_process */
    uint32_t missed_count;
    uint32_t more;      /* so many may be found later */
    bool is_later;      /* names may be unloaded */
    uint64_t loaded_ns; /* when that was, by the coarse clock */
    struct timed_routine routine[PROFILE_ROUTINES_MAX - PROFILE_MISSED_NAMES];
    struct timed_routine missed_name[PROFILE_MISSED_NAMES];
};

extern struct timed_routines timed_routines __attribute__((visibility("hidden")));

/* Sets `*index` to the number of the routine. Returns whether there is room for it. */
bool timed_run_routine(const char *name, uint32_t flags, uint32_t *index);

/* Counts what cannot be counted: a routine, or with the name "" an object. */
void timed_run_miss(const char *name, uint32_t flags);

/* Whether it has been counted, and its name is known. */
bool timed_run_is_missed(const char *name, uint32_t flags);

/* Tells what was found or missed since the process's chunks were made. */
void timed_run_tell(void);

/* Writes the chunk with the names, of a process that has one of its own. Nothing is counted where
 * there is no room. */
void timed_run_begin(bool is_forked);

/* Closes what threads left open that have ended. */
void timed_run_end(void);
