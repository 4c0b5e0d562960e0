/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stubs before dlopen(3) and dlsym(3), which jump on: the function sees its caller.
 */
#ifndef JOBTRAIL_TIMED_LOADS_H
#define JOBTRAIL_TIMED_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/profile/timed_stubs.h"

#if TIMED_STUBS > 0
#define TIMED_LOADS 64

uintptr_t timed_loads_stub(unsigned index);
bool timed_loads_is_stub(uintptr_t address);

/* Called by these stubs, with the first two arguments: where the one of this number goes on to. */
uintptr_t timed_loads(uint32_t index, const char *path, int flags)
    __attribute__((visibility("hidden"), used));

#else
#define TIMED_LOADS 0
#endif
#endif
