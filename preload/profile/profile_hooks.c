/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the loader and instrumented functions call. The constructor looks at the environment alone:
 * a program without instrumented functions opens no file. In a program with more rights than its
 * caller nothing is done, since its environment comes from the caller.
 */
#include <stddef.h>

#include "preload/image.h"
#include "preload/proc.h"
#include "preload/profile/profile_next.h"
#include "preload/profile/profile_own.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_stack.h"
#include "preload/profile/profile_thread.h"
#include "preload/profile/timed_run.h"
#include "preload/profile/timed_slots.h"
#include "preload/system.h"

#define EXPORTED            __attribute__((visibility("default")))
#define LONG_WAY            __attribute__((noinline, cold))
#define UNLIKELY(condition) __builtin_expect((condition), 0)

/* What compilers call them. */
EXPORTED void profile_enter(void *function, void *caller) __asm__("__cyg_profile_func_enter");
EXPORTED void profile_exit(void *function, void *caller) __asm__("__cyg_profile_func_exit");

/* Storage that the loader sets up with the thread: no call is needed to find it. */
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
THREAD_LOCAL struct profile_own *own_known;
THREAD_LOCAL bool is_refused; /* no chunk could be had */

/* The program's own. Several threads find the same. */
static struct profile_hooks next;

static bool has_next(void)
{
    uint32_t state = __atomic_load_n(&next.state, __ATOMIC_ACQUIRE);
    if (state == HOOKS_UNKNOWN)
        profile_next_hooks((uintptr_t)profile_enter, &next);
    return state != HOOKS_NONE;
}

/* A tracer that is the program's own is called in place of ours, with the return address that ours
 * has: these calls are jumps. Calls before the constructor go there as well. */
static LONG_WAY void enter_next(uint64_t function, uint64_t caller)
{
    if (has_next() && next.enter != NULL)
        next.enter((void *)(uintptr_t)function, (void *)(uintptr_t)caller);
}

static LONG_WAY void leave_next(uint64_t function, uint64_t caller)
{
    if (has_next() && next.exit != NULL)
        next.exit((void *)(uintptr_t)function, (void *)(uintptr_t)caller);
}

/* Whether the stacks are that tracer's. Says so once in the file. */
static bool is_hooked(void)
{
    static uint32_t is_told; /* atomic */
    if (!has_next() || (next.enter == NULL && next.exit == NULL))
        return false;
    if (!__atomic_load_n(&is_told, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&is_told, 1, __ATOMIC_RELAXED))
        profile_run_mark_hooked();
    return true;
}

static struct profile_own *begin_thread(void)
{
    if (!is_refused && profile_run_begin()) {
        struct profile_own *own = profile_thread_begin(own_known);
        is_refused = own == NULL;
        own_known = own;
    }
    if (own_known != NULL && own_known->frame_room != 0)
        return own_known;
    profile_run_lose_call();
    return NULL;
}

/* The long way: for a thread's first call, a stack's first call, and where the stack is not as the
 * calls say. */
static LONG_WAY void enter_slowly(uint64_t function, uint64_t caller, uint64_t stack,
                                  uint64_t place)
{
    struct profile_own *own = own_known;
    if (own == NULL && is_hooked()) {
        enter_next(function, caller);
        return;
    }
    if (own == NULL || own->frame_room == 0)
        own = begin_thread();
    if (own != NULL)
        profile_stack_enter(own, &(struct profile_call){function, caller, stack, place});
}

static LONG_WAY void leave_slowly(uint64_t function, uint64_t caller, uint64_t stack,
                                  uint64_t place)
{
    struct profile_own *own = own_known;
    if (own != NULL && own->frame_room != 0)
        profile_stack_leave(own, &(struct profile_call){function, caller, stack, place});
}

/* Whether the frames below index `top` that have this stack pointer are of functions that this one
 * was inlined with, and none is dead. */
static inline bool is_inlined(const struct profile_own *own, uint32_t top, uint64_t caller,
                              uint64_t stack, uint64_t place)
{
    for (const struct profile_frame *frame = &own->frames[top - 1]; top > 1; top--, frame--) {
        if (frame->stack > stack)
            return true;
        if (frame->stack != stack || frame->caller != caller || frame->place == place ||
            frame->node == 0)
            return false;
    }
    return true;
}

/* Sets `*index` to the node of the function below the node `parent`, if it is where a search
 * begins. A frame that is dead or being filled has the node 0, and no entry has that parent. */
static inline bool find_node(const struct profile_own *own, uint32_t parent, uint64_t function,
                             uint32_t *index)
{
    const struct profile_table *table = own->table;
    const struct profile_entry *entry = &table->entry[profile_hash(table, parent, function)];
    *index = entry->node; /* 0: a handler has made the entry just now */
    return entry->function == function && entry->parent == parent && *index != 0;
}

/* As profile_stack_enter() for a stack that has a node. `frame`: the next one. */
static inline void open_frame(struct profile_own *own, uint32_t top, struct profile_frame *frame,
                              uint32_t index, const struct profile_call *call)
{
    struct profile_node *node = &own->nodes[index];
    own->top = top + 1;
    profile_order();
    frame->stack = call->stack;
    frame->function = call->function;
    frame->caller = call->caller;
    frame->place = call->place;
    node->calls++;
    if ((node->flags & PROFILE_NODE_LIGHT) != 0) {
        frame->start = 0;
        profile_order();
        frame->node = index;
        return;
    }
    uint64_t ticks = cycles_read();
    frame->start = ticks;
    profile_order();
    frame->node = index;
    if (UNLIKELY(ticks >= own->next_event))
        profile_event_add(own, ticks, index, PROFILE_ENTER);
}

/* Where the frame before has the same stack pointer, or a lower one. */
static __attribute__((noinline)) void enter_inlined(uint64_t function, uint64_t caller,
                                                    uint64_t stack, uint64_t place,
                                                    struct profile_own *own)
{
    uint32_t top = own->top;
    struct profile_frame *above = &own->frames[top - 1];
    uint32_t index;
    if (find_node(own, above->node, function, &index) && is_inlined(own, top, caller, stack, place))
        open_frame(own, top, above + 1, index,
                   &(struct profile_call){function, caller, stack, place});
    else
        enter_slowly(function, caller, stack, place);
}

/* Calls other functions last alone: so it saves few registers. */
static inline void enter(struct profile_own *own, uint64_t function, uint64_t caller,
                         uint64_t stack, uint64_t place)
{
    uint32_t top = own->top;
    if (UNLIKELY(top >= own->limit)) {
        enter_slowly(function, caller, stack, place);
        return;
    }
    struct profile_frame *above = &own->frames[top - 1];
    uint32_t index;
    if (above->stack <= stack) {
        enter_inlined(function, caller, stack, place, own);
        return;
    }
    if (UNLIKELY(!find_node(own, above->node, function, &index)))
        enter_slowly(function, caller, stack, place);
    else
        open_frame(own, top, above + 1, index,
                   &(struct profile_call){function, caller, stack, place});
}

/* Whether the frame is that of the function that is left, and no dead one is above it. Where the
 * exit is a jump, the hook returns to the caller. */
static inline bool is_left(const struct profile_frame *frame, uint64_t function, uint64_t caller,
                           uint64_t stack, uint64_t place)
{
    if (frame->function != function)
        return false;
    return place != caller ? frame->stack >= stack
                           : frame->stack < stack && frame[-1].stack >= stack;
}

/* The topmost frame is left. */
static inline void close_frame(struct profile_own *own, uint32_t top, struct profile_frame *frame)
{
    frame->node = 0;
    profile_order();
    own->top = top - 1;
}

/* The same of a call that is timed. Apart, as light ones then save no registers. */
static __attribute__((noinline)) void leave_timed(struct profile_own *own, uint32_t top,
                                                  struct profile_frame *frame)
{
    uint64_t ticks = cycles_read(), start = frame->start;
    uint32_t index = frame->node;
    if (index < own->node_count)
        profile_stack_add(own, &own->nodes[index], ticks > start ? ticks - start : 0);
    close_frame(own, top, frame);
    if (UNLIKELY(ticks >= own->next_event))
        profile_event_add(own, ticks, index, PROFILE_EXIT);
}

/* As profile_stack_leave() for the topmost frame. */
static inline void leave(struct profile_own *own, uint64_t function, uint64_t caller,
                         uint64_t stack, uint64_t place)
{
    uint32_t top = own->top;
    struct profile_frame *frame = &own->frames[top - 1];
    if (UNLIKELY(top - 2 >= own->limit || !is_left(frame, function, caller, stack, place))) {
        leave_slowly(function, caller, stack, place);
        return;
    }
    if (frame->start == 0)
        close_frame(own, top, frame);
    else
        leave_timed(own, top, frame);
}

void profile_enter(void *function, void *caller)
{
    uint64_t stack = (uintptr_t)__builtin_dwarf_cfa();
    uint64_t place = (uintptr_t)__builtin_return_address(0);
    if (!profile_is_on) {
        if (UNLIKELY(next.state != HOOKS_NONE))
            enter_next((uintptr_t)function, (uintptr_t)caller);
        return;
    }
    struct profile_own *own = own_known;
    if (UNLIKELY(own == NULL))
        enter_slowly((uintptr_t)function, (uintptr_t)caller, stack, place);
    else
        enter(own, (uintptr_t)function, (uintptr_t)caller, stack, place);
}

void profile_exit(void *function, void *caller)
{
    uint64_t stack = (uintptr_t)__builtin_dwarf_cfa();
    uint64_t place = (uintptr_t)__builtin_return_address(0);
    struct profile_own *own;
    if (profile_is_on && (own = own_known) != NULL)
        leave(own, (uintptr_t)function, (uintptr_t)caller, stack, place);
    else if (UNLIKELY(next.state != HOOKS_NONE))
        leave_next((uintptr_t)function, (uintptr_t)caller);
}

/* Of a program that has the library linked in and preloaded too, the latter does it. */
static void start_timing(void)
{
    size_t bytes;
    void *policy = profile_run_policy(&bytes);
    timed_routines.loaded_ns = profile_run_coarse();
    bool is_kept = timed_slots_point(policy, true);
    if (policy != NULL && !is_kept)
        system_unmap(policy, bytes);
    if (timed_routines.missed > 0 || timed_routines.missed_mpi > 0)
        profile_run_begin(); /* what is missed is to be known of a program without calls too */
}

__attribute__((constructor)) static void profile_start(int argc, char **argv, char **envp)
{
    struct image image;
    if (!proc_find_image(argc, argv, envp, &image) || image.secure)
        return;
    profile_is_on = profile_run_prepare(&image);
    if (profile_is_on)
        profile_thread_prepare();
    if (profile_is_on && image_is_dynamic(&image))
        start_timing();
    else if (profile_is_on)
        timed_slots_point(NULL, false);
}

__attribute__((destructor)) static void profile_end(void)
{
    timed_slots_end();
    profile_run_end();
}
