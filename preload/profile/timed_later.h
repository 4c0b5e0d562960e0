/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects that dlopen(3) has loaded. Slots of the application that lead to it, and to dlsym(3),
 * lead to stubs that look at what was loaded before, and jump on: these functions find out who
 * calls them. See decision 101.
 */
#pragma once

#include <stdbool.h>

#include "preload/profile/timed_search.h"

/* Points these slots of the start's objects. Returns whether `policy` is to stay. */
bool timed_later_begin(struct timed_search *search, const void *policy);

/* dlclose(3) is called. */
void timed_later_close(void);

/* The process ends: what has not been looked at is missed. */
void timed_later_end(void);
