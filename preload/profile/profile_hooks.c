/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the loader and instrumented functions call. The constructor looks at the environment alone:
 * a program without instrumented functions opens no file. In a program with more rights than its
 * caller nothing is done, since its environment comes from the caller.
 */
#include <stddef.h>

#include "preload/image.h"
#include "preload/proc.h"
#include "preload/profile/profile_own.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_stack.h"
#include "preload/profile/profile_thread.h"

#define EXPORTED            __attribute__((visibility("default")))
#define UNLIKELY(condition) __builtin_expect((condition), 0)

EXPORTED void __cyg_profile_func_enter(void *function, void *caller);
EXPORTED void __cyg_profile_func_exit(void *function, void *caller);

/* Storage that the loader sets up with the thread: no call is needed to find it. */
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
THREAD_LOCAL struct profile_own *own_known;
THREAD_LOCAL bool is_refused; /* no chunk could be had */

static __attribute__((noinline)) struct profile_own *begin_thread(void)
{
    if (!is_refused && profile_run_begin()) {
        struct profile_own *own = profile_thread_begin(own_known);
        is_refused = own == NULL;
        own_known = own;
    }
    if (is_refused)
        profile_run_lose_call();
    return own_known != NULL && own_known->frame_room != 0 ? own_known : NULL;
}

/* Makes room for one frame more. Where there is none, the call is counted. */
static __attribute__((noinline)) bool make_room(struct profile_own *own,
                                                const struct profile_call *call)
{
    profile_stack_settle(own, call);
    if (own->top < own->frame_room || profile_more_frames(own))
        return true;
    own->over++;
    own->thread->lost_calls++;
    return false;
}

static inline uint32_t find_node(struct profile_own *own, uint32_t parent,
                                 const struct profile_call *call)
{
    const struct profile_table *table = own->table;
    const struct profile_entry *entry = &table->entry[profile_hash(table, parent, call->function)];
    if (entry->function == call->function && entry->parent == parent)
        return entry->node;
    return profile_node_find(own, parent, call->function, call->caller);
}

/* A frame is reserved, filled, and published by its node. */
static inline void enter(struct profile_own *own, const struct profile_call *call)
{
    const struct profile_frame *above = &own->frames[own->top - 1];
    uint32_t parent = above->node;
    if (UNLIKELY(parent == 0 || above->stack <= call->stack || own->alternate != 0))
        parent = profile_stack_settle(own, call);
    uint32_t index = find_node(own, parent, call), top = own->top;
    if (UNLIKELY(top >= own->frame_room && !make_room(own, call)))
        return;
    struct profile_node *node = &own->nodes[index];
    struct profile_frame *frame = &own->frames[top];
    own->top = top + 1;
    profile_order();
    frame->stack = call->stack;
    frame->function = call->function;
    frame->caller = call->caller;
    frame->place = call->place;
    node->calls++;
    if ((node->flags & PROFILE_NODE_LIGHT) != 0 && own->light_ticks != 0) {
        frame->start = 0;
        profile_order();
        frame->node = index;
        return;
    }
    uint64_t ticks = profile_ticks(own->counter, own->clock);
    frame->start = ticks;
    profile_order();
    frame->node = index;
    if (UNLIKELY(ticks >= own->next_event))
        profile_event_add(own, ticks, index, PROFILE_ENTER);
}

static inline bool is_top(const struct profile_own *own, const struct profile_call *call)
{
    const struct profile_frame *frame = &own->frames[own->top - 1];
    if (own->over != 0 || own->top < 2 || frame->function != call->function)
        return false;
    if (call->place != call->caller)
        return frame->stack >= call->stack;
    return frame->stack < call->stack && (frame - 1)->stack >= call->stack;
}

static inline void leave(struct profile_own *own, const struct profile_call *call)
{
    if (UNLIKELY(!is_top(own, call))) {
        profile_stack_leave(own, call);
        return;
    }
    if (own->frames[own->top - 1].start == 0) {
        profile_stack_pop(own, 0);
        return;
    }
    uint64_t ticks = profile_ticks(own->counter, own->clock);
    uint32_t index = profile_stack_pop(own, ticks);
    if (UNLIKELY(ticks >= own->next_event))
        profile_event_add(own, ticks, index, PROFILE_EXIT);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    if (!profile_is_on)
        return;
    struct profile_own *own = own_known;
    if (UNLIKELY(own == NULL || own->frame_room == 0)) {
        own = begin_thread();
        if (own == NULL)
            return;
    }
    const struct profile_call call = {(uintptr_t)function, (uintptr_t)caller,
                                      (uintptr_t)__builtin_dwarf_cfa(),
                                      (uintptr_t)__builtin_return_address(0)};
    enter(own, &call);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    struct profile_own *own;
    if (!profile_is_on || (own = own_known) == NULL || own->frame_room == 0)
        return;
    const struct profile_call call = {(uintptr_t)function, (uintptr_t)caller,
                                      (uintptr_t)__builtin_dwarf_cfa(),
                                      (uintptr_t)__builtin_return_address(0)};
    leave(own, &call);
}

__attribute__((constructor)) static void profile_start(int argc, char **argv, char **envp)
{
    struct image image;
    if (!proc_find_image(argc, argv, envp, &image) || image.secure)
        return;
    profile_is_on = profile_run_prepare(&image);
}

__attribute__((destructor)) static void profile_end(void)
{
    profile_run_end();
}
