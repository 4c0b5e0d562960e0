/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of a thread's frames are still open. An exit never comes after longjmp(), after an
 * exception in code that clang has built, or where a thread is cancelled. Such a frame is known by
 * the stack pointer: the stack grows downwards, so a call whose caller's stack pointer is at or
 * above that of a frame is not below that frame. Calls that were inlined into one function share
 * their stack pointer and their caller, and differ by the place of their entry. Frames on an
 * alternate signal stack are compared with each other alone.
 */
#ifndef JOBTRAIL_PROFILE_STACK_H
#define JOBTRAIL_PROFILE_STACK_H

#include "preload/profile/profile_own.h"

/* What the compiler passes to an entry or exit, and what is read where it calls. */
struct profile_call {
    uint64_t function;
    uint64_t caller; /* where the function returns to */
    uint64_t stack;  /* the stack pointer at the call of the hook */
    uint64_t place;  /* where the hook returns to: the caller, where the call was made a jump */
};

/* Closes the frames that are dead when this function is entered. Returns the node of the nearest
 * one that is left. */
uint32_t profile_stack_settle(struct profile_own *own, const struct profile_call *call);

/* Closes the frame of the function that is left, and dead ones above it. Returns its node; 0: it
 * had no frame. */
uint32_t profile_stack_leave(struct profile_own *own, const struct profile_call *call);

/* Closes the topmost frame, and adds its time to its node. Returns the node. */
static inline uint32_t profile_stack_pop(struct profile_own *own, uint64_t ticks)
{
    struct profile_frame *frame = &own->frames[own->top - 1];
    uint32_t index = frame->node;
    if (index < own->node_count && frame->start != 0) {
        struct profile_node *node = &own->nodes[index];
        uint64_t time = ticks > frame->start ? ticks - frame->start : 0;
        node->ticks += time;
        if (time > node->largest)
            node->largest = time;
        uint64_t timed = ++node->timed;
        if (timed == PROFILE_LIGHT_CALLS && node->ticks < own->light_ticks * PROFILE_LIGHT_CALLS)
            node->flags |= PROFILE_NODE_LIGHT;
    }
    frame->node = 0;
    profile_order();
    own->top--;
    return index;
}

#endif
