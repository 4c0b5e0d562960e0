/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of a thread's calls of routines are still open. One that is left by longjmp(3) or an
 * exception does not return. It is known by the stack pointer: the stack grows downwards, so what
 * lies below that of a later call is over. Calls on another stack, that of a coroutine or of a
 * handler of a signal, are compared with each other alone. A coroutine's is known as another one
 * where it lies above the thread's own.
 */
#pragma once

#include <stdint.h>

#include "preload/profile/timed_own.h"

#if TIMED_STUBS > 0

/* Finds the end of the stack of this thread, which is `own->tid`. */
void timed_stack_find(struct timed_own *own);

/* Closes all open calls from index `keep` on: they were left. */
void timed_stack_drop(struct timed_own *own, uint32_t keep);

/* Closes the calls that were left before this one, which begins. */
void timed_stack_settle(struct timed_own *own, const struct timed_call *call);

/* After a call has ended: the short way is right again where no other stack is in use. */
void timed_stack_return(struct timed_own *own);

#endif
