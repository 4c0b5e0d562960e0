/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a thread keeps of the routines that it calls: private memory, which the kernel fills with
 * zeros in forked children, where `room` is 0 then. As with struct profile_own, other processes of
 * the user may write to what is shared, and a signal's handler may call routines within any step:
 * nothing that an address depends on is read from there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/clock.h"
#include "preload/profile/profile_file.h"
#include "preload/profile/timed_sizes.h"
#include "preload/profile/timed_stubs.h"

/* A datatype of MPI, and its size. */
struct timed_type {
    uint64_t key;   /* 0: none; stored last */
    uint32_t bytes; /* TIMED_MADE: the program has made it, and may free it */
};

enum { TIMED_MADE = UINT32_MAX };

enum { TIMED_TYPE_BITS = 4 };

struct timed_own {
    uint32_t room;                     /* PROFILE_OPEN; 0: the short way is not right */
    uint32_t top;                      /* open calls that are timed */
    uint32_t other;                    /* those below the first on another stack; 0: none is */
    struct profile_open *open;         /* shared */
    struct profile_count *count;       /* shared; of each routine */
    uintptr_t stack[PROFILE_OPEN + 1]; /* of the open calls, from 1; else UINTPTR_MAX */
    struct timed_type type[1u << TIMED_TYPE_BITS];
    struct profile_calls *calls;     /* shared */
    uint32_t counter;                /* enum profile_counter */
    bool is_whole;                   /* it has a chunk of this process */
    uintptr_t stack_near, stack_end; /* between them is nothing but the thread's own stack */
    int32_t tid;                     /* atomic; whose it is */
    clock_function *clock;
    struct timed_own *next; /* of the process */
};

/* What a slot leads to. */
struct timed_entry {
    uintptr_t target; /* atomic; 0: the loader has not bound it yet */
    uint16_t routine; /* its number in the chunk, from 0 */
    uint8_t words;    /* of arguments on the stack */
    struct timed_size size;
    bool is_lazy; /* the slot was not bound */
};

/* Of an entry whose target is not known: the loader finds it when it is first called. The assembly
 * has the offsets. */
struct timed_unbound {
    uintptr_t *slot;
    uintptr_t original;  /* where the slot led to */
    uint32_t relocation; /* the number of the slot's; TIMED_OTHERS: a stub of the other library's */
    uint32_t is_open;    /* atomic; the first call has begun and not ended */
    uintptr_t stub;      /* atomic; what the slot is to have again; 0: no call has begun */
    uintptr_t start, end; /* of the library that is to be called */
};

#define TIMED_OTHERS UINT32_MAX

#if TIMED_STUBS > 0

extern struct timed_unbound timed_unbound[TIMED_STUBS] __attribute__((visibility("hidden")));
extern struct timed_entry timed_entries[TIMED_STUBS] __attribute__((visibility("hidden")));

/* Whether the innermost open call looks as if it had been left without returning. */
static inline bool timed_looks_left(const struct timed_own *own, const struct timed_call *call)
{
    return own->stack[own->top] <= (uintptr_t)call;
}

/* Sets `room` after what it depends on has changed. */
static inline void timed_set_room(struct timed_own *own)
{
    own->room = own->counter == PROFILE_CYCLES && own->other == 0 ? PROFILE_OPEN : 0;
}

/* Begins a call at a reading of the counter, and ends it. */
void timed_begin(struct timed_own *own, struct timed_call *call, uint64_t ticks);
void timed_end(struct timed_own *own, const struct timed_call *call, uint64_t ticks);

/* This thread's; NULL: it has none yet. */
struct timed_own *timed_own_known(void);
void timed_own_set(struct timed_own *own);

#endif
