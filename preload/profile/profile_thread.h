/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "preload/profile/profile_own.h"

/* The first one has room for the nodes of a thread's chunk. */
enum { PROFILE_TABLE_BITS = 9 };

/* What this thread has from now on: the chunk of a thread that has ended, or a new one. `forked`:
 * what it had before a fork(), all zeros, or NULL. NULL: none can be had. */
struct profile_own *profile_thread_begin(struct profile_own *forked);

/* At the start of the program. */
void profile_thread_prepare(void);

/* Whether this process has its parent's memory, and so the thread-local storage of a thread of the
 * parent's: a child of vfork(2), or of clone(2). It must make nothing there that is its own: its
 * calls are the parent's. */
bool profile_thread_is_lent(void);

/* Has each thread of the process look whether objects were unloaded, at its next call. */
void profile_thread_warn(void);

/* Closes the frames of the process's threads that have ended. */
void profile_thread_close_ended(void);

/* Whether the thread of this process has ended. `self`: the one that asks, which had no chunk. */
bool profile_thread_has_ended(int32_t tid, int32_t self);
