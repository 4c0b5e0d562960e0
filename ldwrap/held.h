/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program writes to a pipe, held back until it is known whether anybody is to see it.
 */
#ifndef JOBTRAIL_LDWRAP_HELD_H
#define JOBTRAIL_LDWRAP_HELD_H

#include <stddef.h>

struct held {
    int from;     /* the pipe's reading end, does not block; -1: not in use, or at its end */
    int writes;   /* the pipe's writing end, until the program has it; -1: none */
    int to;       /* where it goes in the end; -1: nowhere */
    size_t limit; /* more than that is not held: it goes on at once, or is dropped */
    int released; /* so it is from now on */
    char *bytes;
    size_t size, room;
};

/* Opens a pipe, with descriptors of 200 and above: builds hand on descriptors by number. Returns 0
 * or -errno. */
int held_open(struct held *held, int to, size_t limit);

/* Reads what there is. */
void held_read(struct held *held);

/* Writes out what is held; what comes later goes out at once. */
void held_release(struct held *held);

void held_close(struct held *held);

#endif
