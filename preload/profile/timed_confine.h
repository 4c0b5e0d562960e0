/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sandboxes. A filter of seccomp(2) may kill for any system call, and its strict mode kills for
 * nearly all, and takes the processor's counter away, as PR_SET_TSC does. So slots that lead to
 * prctl(2) and syscall(2) lead to stubs that switch the profile off for good before such a call.
 */
#pragma once

#include "preload/profile/timed_search.h"

#ifdef __LP64__

/* Points these slots of an object. timed_slots_close() is to be called afterwards. */
void timed_confine_point(struct timed_search *search, struct timed_object *object);

#endif
