/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_stack.h"

#include <signal.h>

#include "preload/system.h"

bool profile_stack_is_alternate(void)
{
    stack_t stack = {.ss_flags = SS_DISABLE};
    return !system_failed(system_call6(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0)) &&
           (stack.ss_flags & SS_ONSTACK) != 0;
}

/* Closes the topmost frame, and adds its time to its node. Returns the node. */
static uint32_t pop(struct profile_own *own, uint64_t ticks)
{
    struct profile_frame *frame = &own->frames[own->top - 1];
    uint32_t index = frame->node;
    if (index != 0 && index < own->node_count && frame->start != 0)
        profile_stack_add(own, &own->nodes[index], ticks > frame->start ? ticks - frame->start : 0);
    frame->node = 0;
    profile_order();
    own->top--;
    return index;
}

/* Closes all frames from `keep` on. */
static void close_dead(struct profile_own *own, uint32_t keep)
{
    if (own->top <= keep)
        return;
    uint64_t ticks = profile_ticks(own->counter, own->clock);
    own->over = 0;
    profile_set_limit(own);
    while (own->top > keep) {
        own->thread->dead_frames += own->frames[own->top - 1].node != 0;
        pop(own, ticks);
    }
}

/* The first of the frames that can be compared with the current stack. */
static uint32_t first_comparable(struct profile_own *own)
{
    if (own->alternate == 0 || profile_stack_is_alternate())
        return own->alternate == 0 ? 1 : own->alternate;
    close_dead(own, own->alternate);
    own->alternate = 0;
    profile_set_limit(own);
    return 1;
}

/* How many frames are left when the function is entered. */
static uint32_t living(const struct profile_own *own, const struct profile_call *call,
                       uint32_t first)
{
    uint32_t keep = own->top;
    for (uint32_t i = own->top; i > first; i--) {
        const struct profile_frame *frame = &own->frames[i - 1];
        if (frame->node == 0)
            continue; /* being filled, or left by a handler: what lies below decides */
        if (frame->stack > call->stack)
            break;
        bool is_inlined = frame->stack == call->stack && frame->caller == call->caller &&
                          frame->place != call->place;
        if (!is_inlined)
            keep = i - 1;
    }
    return keep;
}

/* Closes the frames that are dead. Returns the node of the nearest one that is left. */
static uint32_t settle(struct profile_own *own, const struct profile_call *call)
{
    uint32_t keep = living(own, call, first_comparable(own));
    if (keep < own->top && own->alternate == 0 && profile_stack_is_alternate()) {
        own->alternate = own->top;
        profile_set_limit(own);
    } else {
        close_dead(own, keep);
    }
    for (uint32_t i = own->top; i > 0; i--) {
        if (own->frames[i - 1].node != 0)
            return own->frames[i - 1].node;
    }
    return PROFILE_ROOT;
}

/* Reserves a frame, fills it, and publishes it by its node. */
static void push(struct profile_own *own, const struct profile_call *call, uint32_t index)
{
    struct profile_node *node = &own->nodes[index];
    struct profile_frame *frame = &own->frames[own->top];
    own->top++;
    profile_order();
    frame->stack = call->stack;
    frame->function = call->function;
    frame->caller = call->caller;
    frame->place = call->place;
    node->calls++;
    frame->start =
        (node->flags & PROFILE_NODE_LIGHT) != 0 ? 0 : profile_ticks(own->counter, own->clock);
    profile_order();
    frame->node = index;
    if (frame->start >= own->next_event)
        profile_event_add(own, frame->start, index, PROFILE_ENTER);
}

void profile_stack_enter(struct profile_own *own, const struct profile_call *call)
{
    if (own->closes != profile_closes())
        profile_nodes_forget(own);
    uint32_t parent = settle(own, call);
    if (own->over > 0 || (own->top >= own->frame_room && !profile_more_frames(own))) {
        own->over++;
        own->thread->lost_calls++;
        profile_set_limit(own);
        return;
    }
    push(own, call, profile_node_find(own, parent, call->function, call->caller));
}

static bool is_of(const struct profile_frame *frame, const struct profile_call *call)
{
    return frame->node != 0 && frame->function == call->function && frame->caller == call->caller;
}

/* The index of the frame that is left; 0: none. Where the exit is a call, the stack pointer is that
 * of the entry, or below it (alloca()). Where it is a jump, it is above it, and at or below that of
 * the calling function. */
static uint32_t find_left(const struct profile_own *own, const struct profile_call *call,
                          uint32_t first)
{
    uint32_t i = own->top - 1, found = 0;
    for (; i >= first && own->frames[i].stack < call->stack; i--) {
        if (call->place == call->caller && is_of(&own->frames[i], call))
            found = i;
    }
    if (call->place == call->caller)
        return found;
    for (; i >= first; i--) {
        if (is_of(&own->frames[i], call))
            return i;
        if (own->frames[i].node != 0 && own->frames[i].stack > call->stack)
            return 0;
    }
    return 0;
}

void profile_stack_leave(struct profile_own *own, const struct profile_call *call)
{
    uint64_t ticks = profile_ticks(own->counter, own->clock);
    if (own->over > 0) {
        own->over--;
        profile_set_limit(own);
        return;
    }
    uint32_t left = find_left(own, call, first_comparable(own));
    if (left == 0) {
        own->thread->stray_exits++;
        return;
    }
    close_dead(own, left + 1);
    uint32_t index = pop(own, ticks);
    if (ticks >= own->next_event)
        profile_event_add(own, ticks, index, PROFILE_EXIT);
}
