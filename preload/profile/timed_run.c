/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_run.h"

#include <stddef.h>

#include "preload/memory.h"
#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_live.h"
#include "preload/profile/profile_place.h"
#include "preload/profile/profile_run.h"
#include "preload/profile/profile_thread.h"
#include "preload/profile/timed_frames.h"
#include "preload/profile/timed_own.h"
#include "preload/profile/timed_stack.h"
#include "preload/profile/timed_types.h"
#include "preload/slots/signal_hold.h"
#include "preload/system.h"

enum { TIMED_NAMES = 96 << 10 };

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

static bool is_routine(const struct timed_routine *routine, const char *name, uint32_t flags)
{
    return routine->flags == flags && text_equal(routine->name, name);
}

/* NULL: there is no room. */
static const char *lasting_name(const char *name)
{
    static char names[TIMED_NAMES];
    static uint32_t used;
    size_t size = text_length(name) + 1;
    if (!timed_routines.is_later)
        return name;
    if (size > sizeof names - used)
        return NULL;
    char *copy = memcpy(names + used, name, size);
    used += (uint32_t)size;
    return copy;
}

/* So many have their counts in the chunks of threads. */
static uint32_t find_room(void)
{
    struct profile_live *live = profile_live();
    uint32_t most = sizeof timed_routines.routine / sizeof timed_routines.routine[0];
    uint32_t state = live == NULL ? LIVE_NONE : __atomic_load_n(&live->state, __ATOMIC_ACQUIRE);
    if (state == LIVE_BEGINNING) /* another thread has counted what is to have room */
        return timed_routines.count;
    return state == LIVE_READY ? live->room : most;
}

bool timed_run_routine(const char *name, uint32_t flags, uint32_t *index)
{
    struct timed_routines *known = &timed_routines;
    uint32_t i = 0;
    while (i < known->count && !is_routine(&known->routine[i], name, flags))
        i++;
    *index = i;
    if (i < known->count)
        return true;
    const char *own = i < find_room() ? lasting_name(name) : NULL;
    if (own == NULL)
        return false;
    known->routine[i] = (struct timed_routine){own, flags};
    __atomic_store_n(&known->count, i + 1, __ATOMIC_RELEASE);
    return true;
}

bool timed_run_is_missed(const char *name, uint32_t flags)
{
    const struct timed_routines *known = &timed_routines;
    uint32_t i = 0;
    while (i < known->missed_count &&
           !is_routine(&known->missed_name[i], name, flags | PROFILE_ROUTINE_MISSED))
        i++;
    return i < known->missed_count;
}

void timed_run_miss(const char *name, uint32_t flags)
{
    struct timed_routines *known = &timed_routines;
    ++*(flags == PROFILE_ROUTINE_MPI ? &known->missed_mpi : &known->missed);
    bool is_new = *name != '\0' && known->missed_count < PROFILE_MISSED_NAMES &&
                  !timed_run_is_missed(name, flags);
    const char *own = is_new ? lasting_name(name) : NULL;
    if (own != NULL)
        known->missed_name[known->missed_count++] =
            (struct timed_routine){own, flags | PROFILE_ROUTINE_MISSED};
}

static void put_routines(struct profile_routine *to, const struct timed_routine *from,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_name(&to[i], from[i].name);
        to[i].flags = from[i].flags;
    }
}

static void put_all(struct profile_routine *to, uint32_t room)
{
    put_routines(to, timed_routines.routine,
                 __atomic_load_n(&timed_routines.count, __ATOMIC_ACQUIRE));
    put_routines(to + room, timed_routines.missed_name, timed_routines.missed_count);
}

void timed_run_tell(void)
{
    struct profile_live *live = profile_live();
    if (live == NULL || __atomic_load_n(&live->state, __ATOMIC_ACQUIRE) != LIVE_READY)
        return;
    if (live->routines != NULL)
        put_all(live->routines, live->room);
    live->process->missed_routines = timed_routines.missed;
    live->process->missed_mpi = timed_routines.missed_mpi;
}

void timed_run_begin(bool is_forked)
{
    const uint32_t most = sizeof timed_routines.routine / sizeof timed_routines.routine[0];
    struct profile_live *live = profile_live();
    uint32_t room = timed_routines.count + timed_routines.more;
    uint64_t offset;
    if (room + timed_routines.missed_count == 0)
        return;
    room = room < most ? room : most;
    uint32_t bytes =
        whole_pages(sizeof(struct profile_routines) +
                    (size_t)(room + PROFILE_MISSED_NAMES) * sizeof(struct profile_routine));
    struct profile_routines *chunk = new_chunk(bytes, &offset);
    if (chunk == NULL)
        return;
    live->room = room;
    live->routines = (struct profile_routine *)(void *)(chunk + 1);
    put_all(live->routines, room);
    chunk->count = room + PROFILE_MISSED_NAMES;
    if (!is_forked)
        chunk->before_ns = profile_run_coarse() - timed_routines.loaded_ns;
    profile_place_publish(&chunk->chunk, offset, bytes, live->offset, PROFILE_ROUTINES);
    live->has_routines = true;
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
                                 (size_t)profile_live()->room * sizeof(struct profile_count));
    char *at = new_chunk(bytes, &offset);
    if (at == NULL)
        return false;
    own->calls = (struct profile_calls *)(void *)at;
    own->open = own->calls->open;
    own->count = (struct profile_count *)(void *)(at + PROFILE_COUNTS_AT);
    own->calls->tid = own->tid;
    own->calls->threads = 1;
    own->calls->count = profile_live()->room;
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
    uint64_t held = signals_hold();
    int32_t self = (int32_t)system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    struct timed_own *own = adopt(self);
    if (own == NULL)
        own = make(forked, self);
    is_refused = own == NULL;
    if (own != NULL)
        timed_own_set(own);
    signals_release(held);
    return own;
}

/* MPI is asked when it has taken the datatype for one: of another it would tell the program's
 * handlers of errors. */
static void note_size(struct timed_own *own, const struct timed_entry *entry,
                      struct timed_call *call)
{
    uint64_t count, key;
    if (entry->size.type < 0 || !timed_types_arguments(&entry->size, call, &count, &key))
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

/* Until the first call of what the loader has not bound has ended, its calls are not seen. */
static void miss_first(const struct timed_entry *entry, int change)
{
    struct profile_live *live = profile_live();
    bool is_mpi = timed_routines.routine[entry->routine].flags == PROFILE_ROUTINE_MPI;
    uint32_t *missed = is_mpi ? &timed_routines.missed_mpi : &timed_routines.missed;
    uint32_t number = __atomic_add_fetch(missed, (uint32_t)change, __ATOMIC_RELAXED);
    if (live == NULL || __atomic_load_n(&live->state, __ATOMIC_ACQUIRE) != LIVE_READY)
        return;
    uint32_t *told = is_mpi ? &live->process->missed_mpi : &live->process->missed_routines;
    __atomic_store_n(told, number, __ATOMIC_RELAXED);
}

uint64_t timed_words_slowly(struct timed_call *call)
{
    struct timed_entry *entry = &timed_entries[call->index];
    uint64_t words;
    do /* another thread may need the place in the table */
        timed_frames_find(call);
    while ((words = timed_words(call)) > TIMED_WORDS_PAST);
    if (words == TIMED_WORDS_PAST &&
        __atomic_exchange_n(&entry->words, TIMED_WORDS_PAST, __ATOMIC_RELAXED) != TIMED_WORDS_PAST)
        miss_first(entry, 1);
    return words;
}

/* The loader stores the routine's address into the slot, as it is called. */
static uintptr_t find_target(const struct timed_entry *entry, struct timed_call *call)
{
    uintptr_t target = __atomic_load_n(&entry->target, __ATOMIC_RELAXED), none = 0;
    if (target != 0)
        return target;
    struct timed_unbound *unbound = &timed_unbound[call->index];
    __atomic_compare_exchange_n(&unbound->stub, &none,
                                __atomic_load_n(unbound->slot, __ATOMIC_RELAXED), 0,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (!__atomic_exchange_n(&unbound->is_open, 1, __ATOMIC_RELAXED))
        miss_first(entry, 1);
    call->first = unbound;
    return (uintptr_t)timed_first;
}

/* After such a first call the stub is put into the slot again. What was the other library's stub
 * goes on to the routine by itself where the loader has not written to the slot. Where the loader
 * has found another library's routine than the search has, it stays as the loader has it, and is
 * missed. Returns whether the call was one of the library's. */
static bool bind(const struct timed_call *call)
{
    struct timed_unbound *unbound = call->first;
    struct timed_entry *entry = &timed_entries[call->index];
    uintptr_t bound = __atomic_load_n(unbound->slot, __ATOMIC_RELAXED);
    uintptr_t stub = __atomic_load_n(&unbound->stub, __ATOMIC_RELAXED);
    bool is_others = bound == stub && unbound->relocation == TIMED_OTHERS;
    if (bound == stub && !is_others) /* by another thread, or LD_BIND_NOT */
        return true;
    if (!is_others && bound - unbound->start >= unbound->end - unbound->start)
        return false;
    if (__atomic_load_n(&entry->target, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&entry->target, is_others ? unbound->original : bound, __ATOMIC_RELAXED);
    if (!is_others) /* it may be read-only */
        __atomic_store_n(unbound->slot, stub, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&unbound->is_open, 0, __ATOMIC_RELAXED))
        miss_first(entry, -1);
    return true;
}

uintptr_t timed_enter_slowly(struct timed_call *call)
{
    const struct timed_entry *entry = &timed_entries[call->index];
    struct timed_own *own = timed_own_known();
    call->frame = 0;
    call->first = NULL;
    if (own == NULL || !own->is_whole)
        own = begin_thread(own);
    uintptr_t target = find_target(entry, call);
    if (own == NULL) {
        if (profile_is_on)
            profile_run_lose_call();
        return target;
    }
    timed_stack_settle(own, call);
    note_size(own, entry, call);
    timed_begin(own, call, profile_ticks(own->counter, own->clock));
    return target;
}

/* The innermost call was another library's. */
static void take_back(struct timed_own *own, const struct timed_call *call)
{
    struct profile_count *count = &own->count[timed_entries[call->index].routine];
    count->calls--;
    if (count->sized > count->calls)
        count->sized = count->calls;
    if (call->frame != 0 && call->frame <= own->top && own->stack[call->frame] == (uintptr_t)call)
        timed_stack_drop(own, call->frame - 1);
    timed_stack_return(own);
}

void timed_leave_slowly(struct timed_call *call)
{
    struct timed_own *own = timed_own_known();
    bool is_library = call->first == NULL || bind(call);
    if (own == NULL || !own->is_whole || !profile_is_on)
        return;
    if (!is_library) {
        take_back(own, call);
        return;
    }
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
