/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a thread keeps of its profile: private memory, which the kernel fills with zeros in forked
 * children. `top` and `limit` are 0 then, so that the child's first call begins anew.
 *
 * Other processes of the user have the file mapped too, and may write anything into it. So no
 * number that an address depends on is taken from there without a check: indices of nodes come from
 * the private table, or are compared with `node_count`.
 *
 * A signal's handler may run within any step here, call instrumented functions, and leave by
 * longjmp(). So each step leaves something that a call can go on from, in the order in which it
 * stores; what the compiler must not move is parted by profile_order().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/clocks.h"
#include "preload/clock.h"
#include "preload/profile/profile_close.h"
#include "preload/profile/profile_file.h"

struct profile_entry {
    uint64_t function; /* 0: free; stored last */
    uint32_t parent;
    uint32_t node;
};

/* Nodes by parent and function. */
struct profile_table {
    uint32_t shift; /* of the hash: 64 minus the bits of an index */
    uint32_t used;
    struct profile_entry entry[];
};

/* The pieces of an array that are mapped. */
struct profile_pieces {
    uint32_t count;
    uint64_t offset[PROFILE_PIECES];
};

struct profile_own {
    uint32_t top;                 /* frames, that of the root included */
    uint32_t limit;               /* `frame_room`; 0 where only the long way is right */
    struct profile_frame *frames; /* shared */
    struct profile_node *nodes;   /* shared */
    struct profile_table *table;
    uint32_t node_count;
    uint32_t node_room;
    uint32_t frame_room; /* 0: this is no thread's yet, or the parent's before a fork() */
    uint32_t over;       /* calls that are open and have no frame */
    uint32_t alternate;  /* the first frame on an alternate signal stack; 0: none */
    uint32_t counter;    /* enum profile_counter */
    uint32_t event_count;
    uint32_t closes;               /* of profile_closes(), up to which the table is right */
    uint64_t light_ticks;          /* 0: each call is timed */
    uint64_t next_event;           /* ticks: no event before */
    struct profile_event *events;  /* shared */
    struct profile_thread *thread; /* shared */
    uint64_t offset;               /* of the chunk */
    clock_function *clock;
    struct profile_pieces frame_pieces, node_pieces;
    int32_t tid;              /* atomic: whose it is */
    struct profile_own *next; /* of the process */
};

static inline void profile_order(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* A reading of the counter. */
static inline uint64_t profile_ticks(uint32_t counter, clock_function *clock)
{
    return counter == PROFILE_CYCLES ? cycles_read() : clock_monotonic_coarse(clock);
}

/* Where a search begins: the upper bits of a product depend on all lower ones of its factors. */
static inline uint32_t profile_hash(const struct profile_table *table, uint32_t parent,
                                    uint64_t function)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(((function ^ (uint64_t)parent << 44) * odd) >> table->shift);
}

/* Sets `limit` after what it depends on has changed. */
static inline void profile_set_limit(struct profile_own *own)
{
    bool is_plain = own->over == 0 && own->alternate == 0 && own->counter == PROFILE_CYCLES &&
                    own->closes == profile_closes();
    own->limit = is_plain ? own->frame_room : 0;
}

/* The node of `function` called from the node `parent`: made if there is none. PROFILE_OTHERS where
 * there is no room. `caller` is where it returns to. */
uint32_t profile_node_find(struct profile_own *own, uint32_t parent, uint64_t function,
                           uint64_t caller);

/* Forgets nodes of objects that are loaded no more: calls of the same addresses get others. */
void profile_nodes_forget(struct profile_own *own);

/* Makes the frames four times as many. Returns whether that was possible. */
bool profile_more_frames(struct profile_own *own);

/* Adds an event, and sets when the next one may be. */
void profile_event_add(struct profile_own *own, uint64_t ticks, uint32_t node,
                       enum profile_event_kind kind);
