/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What slots of the application are pointed to, so that calls of MPI and of designated libraries
 * are counted and timed. A stub calls the routine itself, with the same registers and a copy of the
 * arguments that lie on the stack, and returns what it returns. It has unwind information:
 * exceptions, longjmp(3) and cancellations pass through it. In programs on x86-64 alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__ && defined __LP64__
#define TIMED_STUBS 4096
#else
#define TIMED_STUBS 0
#endif

/* Words of arguments that the caller has put on the stack, and that are copied. No routine of MPI
 * has more than 14 arguments; of others as many as timed_frames.h says; with more of them a call is
 * not timed, but missed. */
enum {
    TIMED_WORDS_MPI = 8,
    TIMED_WORDS_MAX = 252,
    TIMED_WORDS_PAST = 254,
    TIMED_WORDS_BY_SITE = 255,
};

struct timed_own;
struct timed_unbound;

/* A call in a stub's frame. The assembly has the offsets. */
struct timed_call {
    struct timed_unbound *first; /* NULL: it is not one that the loader binds */
    uint32_t index;              /* of the slot's entry */
    uint32_t frame;              /* in the thread's open calls, from 1; 0: this call is not timed */
    uint64_t key, count;  /* of what datatype bytes are to be added, of how many; no key: none */
    uint64_t argument[6]; /* the registers rdi, rsi, rdx, rcx, r8, r9; the result has rdx too */
    uint64_t rax, r10, rbp, back;
    uint64_t stack[]; /* the arguments there */
};

#if TIMED_STUBS > 0

/* The stub of the entry with this index. */
uintptr_t timed_stub(unsigned index);
bool timed_is_stub(uintptr_t address);

/* What a stub calls in place of a routine that the loader has not bound: it goes on to what the
 * slot led to. */
void timed_first(void) __attribute__((visibility("hidden")));

/* How many words of arguments on the stack are to be copied, an even number up to TIMED_WORDS_MAX,
 * where they cross the end of a page: what lies there need not be mapped. TIMED_WORDS_PAST: the
 * call is not timed; above: timed_words_slowly() is to be called. */
uint64_t timed_words(struct timed_call *call) __attribute__((visibility("hidden"), used));

/* Called by stubs, and by these alone: they use general registers alone, as arguments and results
 * are in others. The address of the routine; 0: timed_enter_slowly() is to be called. */
uintptr_t timed_enter(struct timed_call *call) __attribute__((visibility("hidden"), used));
/* Not 0: timed_leave_slowly() is to be called. */
uint32_t timed_leave(struct timed_call *call) __attribute__((visibility("hidden"), used));

/* The same with vector registers saved. */
uint64_t timed_words_slowly(struct timed_call *call)
    __attribute__((visibility("hidden"), used, force_align_arg_pointer));
uintptr_t timed_enter_slowly(struct timed_call *call)
    __attribute__((visibility("hidden"), used, force_align_arg_pointer));
void timed_leave_slowly(struct timed_call *call)
    __attribute__((visibility("hidden"), used, force_align_arg_pointer));

#endif
