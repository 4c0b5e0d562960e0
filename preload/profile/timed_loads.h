/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stubs before dlopen(3) and dlsym(3), and before prctl(2) and syscall(2), which jump on: the
 * function sees its caller.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/profile/timed_stubs.h"

#if TIMED_STUBS > 0
#define TIMED_LOADS 64

uintptr_t timed_loads_stub(unsigned index);
bool timed_loads_is_stub(uintptr_t address);

uintptr_t timed_confine_stub(unsigned index);
bool timed_confine_is_stub(uintptr_t address);

/* Called by these stubs: where the one of this number goes on to. `argument`: six words. */
uintptr_t timed_loads(uint32_t index, const uint64_t *argument)
    __attribute__((visibility("hidden"), used, force_align_arg_pointer));
uintptr_t timed_confines(uint32_t index, const uint64_t *argument)
    __attribute__((visibility("hidden"), used, force_align_arg_pointer));

#else
#define TIMED_LOADS 0
#endif
