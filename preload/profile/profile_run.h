/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The profile of this process: its chunk in the file, made when a function is first called that was
 * built with -finstrument-functions. A forked child has a chunk of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/clock.h"
#include "preload/image.h"
#include "preload/profile/profile_own.h"
#include "preload/profile/profile_place.h"

/* Whether calls are to be noted: false until the constructor has run, where there is no
 * thread-local storage yet, and from the moment on at which the profile cannot be had. */
extern bool profile_is_on __attribute__((visibility("hidden")));

/* Takes what the environment says and is to be remembered. Returns whether it asks for a profile.
 * No system call. */
bool profile_run_prepare(const struct image *image);

/* Makes the chunk of the process if there is none. Returns whether this thread can have one of its
 * own now: not while another thread makes that of the process, and not where the memory is lent
 * (profile_thread.h). */
bool profile_run_begin(void);

/* Counts a call of a thread that has no chunk. */
void profile_run_lose_call(void);

/* What a new thread needs to know. */
void profile_run_tell(struct profile_own *own);

const struct profile_place *profile_run_place(void);
const struct image *profile_run_image(void);
/* So much of the file this process may take: forked children half of it. */
uint64_t profile_run_limit(void);

/* The vDSO's; NULL: there is none. */
clock_function *profile_run_clock(void);

/* Now, by the coarse clock. */
uint64_t profile_run_coarse(void);

/* Maps the site's rules; NULL: none, or they cannot be read. `*bytes` are to be unmapped. */
void *profile_run_policy(size_t *bytes);

/* The reading of the counter now. */
uint64_t profile_run_ticks(void);

/* At the exit of the process. */
void profile_run_end(void);

/* Before the process enters a sandbox: nothing is counted afterwards, no system call made, and the
 * counter not read. `may_count`: there is something to count, so that the file is to say it where
 * nothing was counted yet. */
void profile_run_confine(bool may_count);

/* Says in the file that the program's own hooks are called. */
void profile_run_mark_hooked(void);
