/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The short way of a call. Built for general registers alone, as timed_stubs.h says.
 */
#include "preload/profile/profile_run.h"
#include "preload/profile/timed_own.h"

#include <errno.h>
#include <stddef.h>

#include "conf/base/clocks.h"
#include "preload/image.h"
#include "preload/profile/profile_own.h"
#include "preload/profile/timed_frames.h"
#include "preload/profile/timed_stack.h"
#include "preload/profile/timed_types.h"
#include "preload/system.h"

#if TIMED_STUBS > 0

struct timed_entry timed_entries[TIMED_STUBS];
struct timed_unbound timed_unbound[TIMED_STUBS];

/* As profile_hooks.c has it. */
static __thread struct timed_own *own_known __attribute__((tls_model("initial-exec")));

struct timed_own *timed_own_known(void)
{
    return own_known;
}

void timed_own_set(struct timed_own *own)
{
    own_known = own;
}

/* Less than PROFILE_OPEN are open. */
static inline void begin(struct timed_own *own, struct timed_call *call, uint64_t ticks)
{
    uint32_t routine = timed_entries[call->index].routine, top = own->top;
    struct profile_open *open = &own->open[top];
    own->count[routine].calls++;
    own->top = ++top;
    profile_order();
    own->stack[top] = (uintptr_t)call;
    call->frame = top;
    open->start = ticks;
    open->inner = 0;
    profile_order();
    open->routine = routine + 1;
}

/* The innermost call. */
static inline void end(struct timed_own *own, const struct timed_call *call, uint64_t ticks)
{
    uint32_t frame = call->frame;
    struct profile_open *open = &own->open[frame - 1];
    struct profile_count *count = &own->count[timed_entries[call->index].routine];
    uint64_t took = ticks > open->start ? ticks - open->start : 0;
    count->ticks += took > open->inner ? took - open->inner : 0;
    if (took > count->largest)
        count->largest = took;
    if (frame > 1)
        open[-1].inner += took;
    open->routine = 0;
    own->stack[frame] = UINTPTR_MAX;
    profile_order();
    own->top = frame - 1;
}

void timed_begin(struct timed_own *own, struct timed_call *call, uint64_t ticks)
{
    call->frame = 0;
    if (own->top < PROFILE_OPEN) {
        begin(own, call, ticks);
        return;
    }
    own->count[timed_entries[call->index].routine].calls++;
    own->calls->lost_times++;
}

void timed_end(struct timed_own *own, const struct timed_call *call, uint64_t ticks)
{
    uint32_t frame = call->frame;
    if (frame == 0 || frame > own->top || own->stack[frame] != (uintptr_t)call)
        return;
    timed_stack_drop(own, frame); /* left by longjmp() */
    end(own, call, ticks);
}

/* What is to be added to a routine's bytes, and to its calls of which these are known. */
struct size {
    uint64_t bytes, calls;
};

/* Whether the bytes are known, or known to be unknown, or to be asked for after the call. */
static inline bool find_size(const struct timed_own *own, const struct timed_entry *entry,
                             struct timed_call *call, struct size *size)
{
    uint64_t count, key;
    if (!timed_types_arguments(&entry->size, call, &count, &key))
        return true;
    const struct timed_type *type = &own->type[timed_types_place(key)];
    if (count > 0 && (key == 0 || type->key != key))
        return false;
    if (count > 0 && type->bytes == TIMED_MADE) {
        call->key = key;
        call->count = count;
        return true;
    }
    size->bytes = count * type->bytes;
    size->calls = 1;
    return true;
}

/* Whether the 8 bytes can be read: the kernel reads them before it refuses what it is asked for. */
static bool is_readable(uintptr_t at)
{
    return system_call6(SYS_rt_sigprocmask, -1, (long)at, 0, 8, 0, 0) != -EFAULT;
}

/* The stack's own page behind that one can be read: no other mapping is as near to the end of the
 * thread's stack. */
static bool is_own(const struct timed_own *own, uintptr_t first, uintptr_t page)
{
    return own != NULL && first > own->stack_near && page < own->stack_end;
}

uint64_t timed_words(struct timed_call *call)
{
    uint64_t words = timed_entries[call->index].words;
    if (words == TIMED_WORDS_BY_SITE)
        words = timed_site_words(call);
    if (words > TIMED_WORDS_MAX)
        return words;
    uintptr_t first = (uintptr_t)call->stack, page = (first | (IMAGE_PAGE_MIN - 1)) + 1;
    if ((uintptr_t)(call->stack + words) <= page || is_own(own_known, first, page) ||
        is_readable(page))
        return words;
    return (page - first) / sizeof(uint64_t) & ~UINT64_C(1);
}

static inline uintptr_t target_of(const struct timed_entry *entry)
{
    return __atomic_load_n(&entry->target, __ATOMIC_RELAXED);
}

/* What is stored after the counter is read need not be waited for. */
uintptr_t timed_enter(struct timed_call *call)
{
    const struct timed_entry *entry = &timed_entries[call->index];
    struct timed_own *own = own_known;
    struct size size = {0, 0};
    call->key = 0;
    call->first = NULL;
    if (own == NULL || own->top >= own->room || target_of(entry) == 0 ||
        timed_looks_left(own, call) ||
        (entry->size.type >= 0 && !find_size(own, entry, call, &size)))
        return 0;
    begin(own, call, cycles_read());
    own->count[entry->routine].bytes += size.bytes;
    own->count[entry->routine].sized += size.calls;
    return target_of(entry); /* once known, it stays */
}

uint32_t timed_leave(struct timed_call *call)
{
    struct timed_own *own = own_known;
    if (own == NULL || own->room == 0 || (call->key | (uintptr_t)call->first) != 0 ||
        own->stack[own->top] != (uintptr_t)call || !profile_is_on)
        return 1;
    end(own, call, cycles_read());
    return 0;
}

#endif
