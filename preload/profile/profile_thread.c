/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "preload/profile/profile_grow.h"
#include "preload/profile/profile_live.h"
#include "preload/profile/profile_place.h"
#include "preload/profile/profile_run.h"
#include "preload/slots/signal_hold.h"
#include "preload/system.h"

/* A new thread asks of so many others whether they have ended. */
enum { ASKED_MAX = 16 };

/* The kernel knows a word of each thread, to clear it at its end: libc has named it. Before glibc
 * 2.34 it named none in programs without libpthread. */
static bool has_word;

static bool is_word_known(void)
{
    uint64_t word = 0;
    long result = system_call6(SYS_prctl, PR_GET_TID_ADDRESS, (long)&word, 0, 0, 0, 0);
    return system_failed(result) || word != 0;
}

void profile_thread_prepare(void)
{
    has_word = is_word_known();
}

bool profile_thread_is_lent(void)
{
    return has_word && !is_word_known();
}

/* What a thread has in private memory at first. */
struct start {
    struct profile_own own;
    _Alignas(64) unsigned char table[sizeof(struct profile_table) +
                                     (sizeof(struct profile_entry) << PROFILE_TABLE_BITS)];
};

bool profile_thread_has_ended(int32_t tid, int32_t self)
{
    /* 0 is the signal that is none. The thread that asks had no chunk. */
    long pid = system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return tid == self || system_call6(SYS_tgkill, pid, tid, 0, 0, 0, 0) == -ESRCH;
}

/* Closes what is open but for the root. */
static void close_frames(struct profile_own *own)
{
    uint32_t top = own->top;
    own->top = 1;
    own->over = 0;
    own->alternate = 0;
    profile_set_limit(own);
    for (uint32_t i = 1; i < top; i++) {
        own->thread->dead_frames += own->frames[i].node != 0;
        own->frames[i].node = 0;
    }
}

/* Takes over what a thread that has ended had. */
static struct profile_own *adopt(int32_t self)
{
    struct profile_own *own = __atomic_load_n(&profile_live()->threads, __ATOMIC_ACQUIRE);
    for (int i = 0; i < ASKED_MAX && own != NULL; i++, own = own->next) {
        int32_t tid = __atomic_load_n(&own->tid, __ATOMIC_RELAXED);
        if (!profile_thread_has_ended(tid, self) ||
            !__atomic_compare_exchange_n(&own->tid, &tid, self, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        close_frames(own);
        own->frames[0].start = profile_run_ticks();
        own->thread->tid = self;
        own->thread->threads++;
        return own;
    }
    return NULL;
}

/* The two nodes that a thread begins with, and the frame of the first one. */
static void fill_thread(struct profile_own *own, struct profile_thread *thread)
{
    const uint64_t first_gap = 1 << 20;
    own->nodes[PROFILE_ROOT] = (struct profile_node){.calls = 1};
    own->nodes[PROFILE_OTHERS] = (struct profile_node){.parent = PROFILE_ROOT};
    own->frames[0] = (struct profile_frame){
        .start = profile_run_ticks(), .stack = UINT64_MAX, .node = PROFILE_ROOT};
    thread->tid = own->tid;
    thread->threads = 1;
    thread->nodes = PROFILE_NODE_FIRST;
    thread->gap = first_gap;
}

static bool map_thread(struct profile_own *own)
{
    const struct profile_place *place = profile_run_place();
    int fd = profile_place_claim(place, PROFILE_THREAD_BYTES, profile_run_limit(), &own->offset);
    if (fd < 0)
        return false;
    char *at = profile_place_pages(place, fd, NULL, PROFILE_THREAD_BYTES, own->offset);
    system_close(fd);
    if (at == NULL)
        return false;
    own->thread = (struct profile_thread *)(void *)at;
    own->frames = (struct profile_frame *)(void *)(at + PROFILE_FRAMES_AT);
    own->nodes = (struct profile_node *)(void *)(at + PROFILE_NODES_AT);
    own->events = (struct profile_event *)(void *)(at + PROFILE_EVENTS_AT);
    return true;
}

static struct profile_own *make(struct profile_own *forked, int32_t self)
{
    struct start *start =
        forked != NULL ? (struct start *)(void *)forked : profile_memory(sizeof *start, true);
    if (start == NULL)
        return NULL;
    struct profile_own *own = &start->own;
    own->table = (struct profile_table *)(void *)start->table;
    own->table->shift = 64 - PROFILE_TABLE_BITS;
    own->tid = self;
    if (!map_thread(own))
        return NULL; /* the memory is lost, but this thread will not ask again */
    profile_run_tell(own);
    own->closes = profile_closes();
    fill_thread(own, own->thread);
    own->node_count = PROFILE_NODE_FIRST;
    own->node_room = PROFILE_NODES;
    own->next_event = 1; /* 0 stands for a call that is not timed */
    profile_place_publish(&own->thread->chunk, own->offset, PROFILE_THREAD_BYTES,
                          profile_live()->offset, PROFILE_THREAD);
    own->top = 1;
    profile_order();
    own->frame_room = PROFILE_FRAMES;
    profile_set_limit(own);
    own->next = __atomic_load_n(&profile_live()->threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&profile_live()->threads, &own->next, own, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    return own;
}

struct profile_own *profile_thread_begin(struct profile_own *forked)
{
    uint64_t held = signals_hold();
    int32_t self = (int32_t)system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    struct profile_own *own = adopt(self);
    if (own == NULL)
        own = make(forked, self);
    signals_release(held);
    return own;
}

void profile_thread_close_ended(void)
{
    struct profile_own *own = __atomic_load_n(&profile_live()->threads, __ATOMIC_ACQUIRE);
    int32_t self = (int32_t)system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    for (; own != NULL; own = own->next) {
        int32_t tid = __atomic_load_n(&own->tid, __ATOMIC_RELAXED);
        if (tid != self && profile_thread_has_ended(tid, self))
            close_frames(own);
    }
}

void profile_thread_warn(void)
{
    struct profile_own *own = __atomic_load_n(&profile_live()->threads, __ATOMIC_ACQUIRE);
    for (; own != NULL; own = own->next)
        __atomic_store_n(&own->limit, 0, __ATOMIC_RELEASE);
}
