/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_stack.h"

#include "preload/profile/profile_own.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_stack.h"
#include "preload/system.h"

#if TIMED_STUBS > 0

/* The kernel has the first thread's below the arguments of the program, and maps nothing else for
 * 128 MiB there. libc has what fs leads to at the end of the stack of each other thread; that has
 * 16 KiB (PTHREAD_STACK_MIN) or more. */
void timed_stack_find(struct timed_own *own)
{
    bool is_first = system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0) == own->tid;
    uintptr_t at = (uintptr_t)profile_run_image()->argv;
    if (!is_first)
        __asm__("movq %%fs:0, %0" : "=r"(at));
    own->stack_end = at;
    own->stack_near = at - (is_first ? 64 << 20 : 12 << 10);
}

void timed_stack_drop(struct timed_own *own, uint32_t keep)
{
    while (own->top > keep) {
        uint32_t top = own->top - 1;
        own->open[top].routine = 0;
        own->stack[own->top] = UINTPTR_MAX;
        profile_order();
        own->top = top;
        own->calls->dead_frames++;
    }
}

static bool is_on_another(const struct timed_own *own, const struct timed_call *call)
{
    return (uintptr_t)call > own->stack_end || profile_stack_is_alternate();
}

void timed_stack_settle(struct timed_own *own, const struct timed_call *call)
{
    if (own->other != 0 && !is_on_another(own, call)) {
        timed_stack_drop(own, own->other);
        own->other = 0;
    }
    if (timed_looks_left(own, call) && own->other == 0 && is_on_another(own, call))
        own->other = own->top;
    uint32_t keep = own->top;
    while (keep > own->other && own->stack[keep] <= (uintptr_t)call)
        keep--;
    timed_stack_drop(own, keep);
    timed_set_room(own);
}

void timed_stack_return(struct timed_own *own)
{
    if (own->other == 0 || own->top > own->other)
        return;
    own->other = 0;
    timed_set_room(own);
}

#endif
