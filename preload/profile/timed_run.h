/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The routines of this program that are counted, and the chunks of its threads for them.
 */
#ifndef JOBTRAIL_TIMED_RUN_H
#define JOBTRAIL_TIMED_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/profile/profile_file.h"

/* Found at the start of the program; forked children have them too. */
struct timed_routines {
    uint32_t entries; /* slots that lead to stubs */
    uint32_t count;
    uint32_t missed;    /* routines and objects that cannot be counted */
    uint64_t loaded_ns; /* when that was, by the coarse clock */
    struct {
        const char *name; /* of an object of the start */
        uint32_t flags;   /* enum profile_routine_flag */
    } routine[PROFILE_ROUTINES_MAX];
};

extern struct timed_routines timed_routines __attribute__((visibility("hidden")));

/* Writes the chunk with the names, of a process that has one of its own. Nothing is counted where
 * there is no room. */
void timed_run_begin(bool is_forked);

/* Closes what threads left open that have ended. */
void timed_run_end(void);

#endif
