/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_stack.h"

#include "preload/profile/profile_own.h"
#include "preload/profile/profile_stack.h"
#include "preload/system.h"

#if TIMED_STUBS > 0

/* libc has what fs leads to at the end of the stack of each thread but the first. */
uintptr_t timed_stack_end(int32_t self)
{
    uintptr_t at;
    if (system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0) == self)
        return UINTPTR_MAX;
    __asm__("movq %%fs:0, %0" : "=r"(at));
    return at;
}

void timed_stack_drop(struct timed_own *own, uint32_t keep)
{
    while (own->top > keep) {
        uint32_t top = own->top - 1;
        own->open[top].routine = 0;
        own->stack[top] = UINTPTR_MAX;
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
    while (keep > own->other && own->stack[keep - 1] <= (uintptr_t)call)
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
