/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of a thread's frames are still open. An exit never comes after longjmp(), after an
 * exception in code that clang has built, or where a thread is cancelled. Such a frame is known by
 * the stack pointer: the stack grows downwards, so a call whose caller's stack pointer is at or
 * above that of a frame is not below that frame. Calls that were inlined into one function share
 * their stack pointer and their caller, and differ by the place of their entry. Frames on an
 * alternate signal stack are compared with each other alone.
 */
#pragma once

#include "preload/profile/profile_own.h"

/* What the compiler passes to an entry or exit, and what is read where it calls. */
struct profile_call {
    uint64_t function;
    uint64_t caller; /* where the function returns to */
    uint64_t stack;  /* the stack pointer at the call of the hook */
    uint64_t place;  /* where the hook returns to: the caller, where the call was made a jump */
};

/* Opens the frame of the function that is entered, and closes those that are dead. */
void profile_stack_enter(struct profile_own *own, const struct profile_call *call);

/* Closes the frame of the function that is left, and dead ones above it. */
void profile_stack_leave(struct profile_own *own, const struct profile_call *call);

/* Whether this is a handler on an alternate signal stack. */
bool profile_stack_is_alternate(void);

/* Adds a call that took so many ticks. */
static inline void profile_stack_add(const struct profile_own *own, struct profile_node *node,
                                     uint64_t time)
{
    node->ticks += time;
    if (time > node->largest)
        node->largest = time;
    if (__builtin_expect(++node->timed == PROFILE_LIGHT_CALLS, 0) &&
        node->ticks < own->light_ticks * PROFILE_LIGHT_CALLS)
        node->flags |= PROFILE_NODE_LIGHT;
}
