/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_run.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_hold.h"
#include "preload/profile/profile_live.h"
#include "preload/profile/profile_place.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_thread.h"
#include "preload/profile/timed_own.h"
#include "preload/profile/timed_stack.h"
#include "preload/profile/timed_types.h"
#include "preload/system.h"

struct timed_routines timed_routines;

static uint32_t whole_pages(size_t bytes)
{
    return (uint32_t)((bytes + PROFILE_PAGE - 1) & ~(size_t)(PROFILE_PAGE - 1));
}

/* Claims and maps a chunk. NULL: there is no room. */
static void *new_chunk(uint32_t bytes, uint64_t *offset)
{
    const struct profile_place *place = profile_run_place();
    int fd = profile_place_claim(place, bytes, profile_run_limit(), offset);
    void *at = fd < 0 ? NULL : profile_place_pages(place, fd, NULL, bytes, *offset);
    if (fd >= 0)
        system_close(fd);
    return at;
}

static void put_name(struct profile_routine *routine, const char *name)
{
    size_t length = text_length(name);
    memcpy(routine->name, name, length < sizeof routine->name ? length : sizeof routine->name - 1);
}

void timed_run_begin(bool is_forked)
{
    uint32_t count = timed_routines.count;
    uint64_t offset;
    if (count == 0)
        return;
    uint32_t bytes = whole_pages(sizeof(struct profile_routines) +
                                 (size_t)count * sizeof(struct profile_routine));
    struct profile_routines *chunk = new_chunk(bytes, &offset);
    if (chunk == NULL)
        return;
    struct profile_routine *routine = (struct profile_routine *)(void *)(chunk + 1);
    for (uint32_t i = 0; i < count; i++) {
        put_name(&routine[i], timed_routines.routine[i].name);
        routine[i].flags = timed_routines.routine[i].flags;
    }
    chunk->count = count;
    if (!is_forked)
        chunk->before_ns = profile_run_coarse() - timed_routines.loaded_ns;
    profile_place_publish(&chunk->chunk, offset, bytes, profile_live()->offset, PROFILE_ROUTINES);
    system_unmap(chunk, bytes);
    profile_live()->has_routines = true;
}

#if TIMED_STUBS > 0

/* No chunk could be had. */
static __thread bool is_refused __attribute__((tls_model("initial-exec")));

static void close_open(struct timed_own *own)
{
    timed_stack_drop(own, 0);
    own->other = 0;
    timed_set_room(own);
}

/* Takes over what a thread that has ended had. */
static struct timed_own *adopt(int32_t self)
{
    enum { ASKED_MAX = 16 };
    struct timed_own *own = __atomic_load_n(&profile_live()->timed, __ATOMIC_ACQUIRE);
    for (int i = 0; i < ASKED_MAX && own != NULL; i++, own = own->next) {
        int32_t tid = __atomic_load_n(&own->tid, __ATOMIC_RELAXED);
        if (!profile_thread_has_ended(tid, self) ||
            !__atomic_compare_exchange_n(&own->tid, &tid, self, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        close_open(own);
        timed_stack_find(own);
        own->calls->tid = self;
        own->calls->threads++;
        return own;
    }
    return NULL;
}

static bool map_calls(struct timed_own *own)
{
    uint64_t offset;
    uint32_t bytes = whole_pages(PROFILE_COUNTS_AT +
                                 (size_t)timed_routines.count * sizeof(struct profile_count));
    char *at = new_chunk(bytes, &offset);
    if (at == NULL)
        return false;
    own->calls = (struct profile_calls *)(void *)at;
    own->open = own->calls->open;
    own->count = (struct profile_count *)(void *)(at + PROFILE_COUNTS_AT);
    own->calls->tid = own->tid;
    own->calls->threads = 1;
    own->calls->count = timed_routines.count;
    profile_place_publish(&own->calls->chunk, offset, bytes, profile_live()->offset, PROFILE_CALLS);
    return true;
}

static struct timed_own *make(struct timed_own *forked, int32_t self)
{
    struct timed_own *own = forked != NULL ? forked : profile_memory(sizeof *own, true);
    if (own == NULL)
        return NULL;
    own->tid = self;
    if (!map_calls(own))
        return NULL;
    for (uint32_t i = 0; i <= PROFILE_OPEN; i++)
        own->stack[i] = UINTPTR_MAX;
    own->counter = profile_live()->counter;
    own->clock = profile_run_clock();
    timed_stack_find(own);
    own->is_whole = true;
    profile_order();
    timed_set_room(own);
    own->next = __atomic_load_n(&profile_live()->timed, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&profile_live()->timed, &own->next, own, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    return own;
}

static struct timed_own *begin_thread(struct timed_own *forked)
{
    if (is_refused || !profile_is_on || !profile_run_begin() || !profile_live()->has_routines)
        return NULL;
    uint64_t held = profile_hold();
    int32_t self = (int32_t)system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    struct timed_own *own = adopt(self);
    if (own == NULL)
        own = make(forked, self);
    is_refused = own == NULL;
    if (own != NULL)
        timed_own_set(own);
    profile_hold_end(held);
    return own;
}

/* MPI is asked when it has taken the datatype for one: of another it would tell the program's
 * handlers of errors. */
static void note_size(struct timed_own *own, const struct timed_entry *entry,
                      struct timed_call *call)
{
    uint64_t count, key;
    if (entry->size.count < 0 || !timed_types_arguments(&entry->size, call, &count, &key))
        return;
    if (count == 0)
        own->count[entry->routine].sized++;
    call->count = count;
    call->key = count > 0 ? key : 0;
}

static void add_size(struct timed_own *own, const struct timed_call *call)
{
    const struct timed_entry *entry = &timed_entries[call->index];
    uint32_t bytes = 0;
    if (call->key == 0 || !timed_types_succeeded(entry->size, call) ||
        !timed_types_ask(own, call->key, entry->size.is_fortran, &bytes))
        return;
    own->count[entry->routine].bytes += call->count * bytes;
    own->count[entry->routine].sized++;
}

uintptr_t timed_enter_slowly(struct timed_call *call)
{
    const struct timed_entry *entry = &timed_entries[call->index];
    struct timed_own *own = timed_own_known();
    call->frame = 0;
    if (own == NULL || !own->is_whole)
        own = begin_thread(own);
    if (own == NULL) {
        if (profile_is_on)
            profile_run_lose_call();
        return entry->target;
    }
    timed_stack_settle(own, call);
    note_size(own, entry, call);
    timed_begin(own, call, profile_ticks(own->counter, own->clock));
    return entry->target;
}

void timed_leave_slowly(struct timed_call *call)
{
    struct timed_own *own = timed_own_known();
    if (own == NULL || !own->is_whole)
        return;
    timed_end(own, call, profile_ticks(own->counter, own->clock));
    timed_stack_return(own);
    add_size(own, call);
}

void timed_run_end(void)
{
    struct timed_own *own = __atomic_load_n(&profile_live()->timed, __ATOMIC_ACQUIRE);
    int32_t self = (int32_t)system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    for (; own != NULL; own = own->next) {
        int32_t tid = __atomic_load_n(&own->tid, __ATOMIC_RELAXED);
        if (tid != self && profile_thread_has_ended(tid, self))
            close_open(own);
    }
}

#else

void timed_run_end(void)
{
}

#endif
