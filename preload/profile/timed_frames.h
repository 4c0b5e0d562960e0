/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many words of arguments a call of a designated library may have on the stack: as many as its
 * caller's frame has, which unwind information tells (.eh_frame; Linux Standard Base, "Exception
 * Frames"). Where a call returns to, its number stays, and is remembered.
 */
#pragma once

#include <stdint.h>

#include "preload/profile/timed_stubs.h"

#if TIMED_STUBS > 0

/* The object whose slot the entry is for. Its unwind information stays while it calls. So does the
 * executable's, which a tail call of a library's may return to. Of any other object, which another
 * thread may unload, frames are not known. */
struct timed_caller {
    uintptr_t start, end, frames; /* as in struct loaded */
};

extern struct timed_caller timed_callers[TIMED_STUBS] __attribute__((visibility("hidden")));

/* Of one place: the low bits of the address that its call returns to, the index of its entry, which
 * no other object has later, and half the number of words; all ones: more than TIMED_WORDS_MAX. The
 * assembly has the same. */
enum { TIMED_SITES = 512, TIMED_SITE_INDEX_BIT = 7, TIMED_SITE_ADDRESS_BIT = 19 };

extern uint64_t timed_sites[TIMED_SITES] __attribute__((visibility("hidden"))); /* atomic */

static inline uint64_t *timed_site(const struct timed_call *call)
{
    return &timed_sites[(call->back ^ call->back >> 9) % TIMED_SITES];
}

static inline uint64_t timed_site_key(const struct timed_call *call)
{
    return call->back << TIMED_SITE_ADDRESS_BIT | (uint64_t)call->index << TIMED_SITE_INDEX_BIT;
}

/* The words of the call: an even number, or TIMED_WORDS_PAST; or more: they are not known yet. */
static inline uint64_t timed_site_words(const struct timed_call *call)
{
    return (__atomic_load_n(timed_site(call), __ATOMIC_RELAXED) ^ timed_site_key(call)) * 2;
}

/* Finds them. */
void timed_frames_find(const struct timed_call *call);

#endif
