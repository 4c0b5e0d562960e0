/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Libraries that are loaded while the program runs. The calls of dlopen(3) and its kin go through
 * stubs for good. These do not see the end of dlopen(3), which finds out who calls it by the return
 * address. So they look at what was loaded at the next call of dlsym(3), dlopen(3) or dlclose(3),
 * under the loader's lock, as other threads may unload libraries. With several threads they look at
 * that of dlopen(3) alone, as it may wait for that lock anyway.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/routines/routine_memory.h"

/* Of routines.c. Points the slots of new objects to stubs, and counts `missed`, and what could not
 * be written to, as missed. */
void routines_point_new(struct routine_memory *memory, uint32_t missed);

/* Of routines.c. Whether the slot of the ledger is still that of the run. After a run that was
 * sampled out it is another one's. */
bool routines_are_noted(const struct routine_memory *memory);
