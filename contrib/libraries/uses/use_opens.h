/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which opens were for writing: who writes a library does not use it. The kernel tells of an open
 * without saying what it is for, and at its end whether the file was open for writing. So opens are
 * remembered for some time, and one that was for writing is taken back.
 */
#ifndef JOBTRAIL_USE_OPENS_H
#define JOBTRAIL_USE_OPENS_H

#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/uses/use_counts.h"

/* The last ones; what was opened before them is not taken back. */
enum { USE_OPENS_MAX = 4096 };

/* {0} at first. */
struct use_opens {
    struct {
        int32_t pid; /* 0: it was taken back */
        size_t use;  /* its place in the counts */
    } open[USE_OPENS_MAX];
    size_t next, count;
};

/* The process has opened the file that this place of the counts is for. */
void use_opens_note(struct use_opens *opens, int32_t pid, size_t use);

/* The process has closed the file, which was open for writing: takes one open back, the process's
 * own if there is one, or else another one's of the file, as of a parent that has handed it on. */
void use_opens_closed(struct use_opens *opens, struct use_counts *counts, int32_t pid,
                      const char *path);

/* Takes back what is open for writing still, and forgets all: places change when counts are
 * written. */
void use_opens_settle(struct use_opens *opens, struct use_counts *counts);

#endif
