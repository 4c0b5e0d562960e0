/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slots that the loader has not bound, in runs whose calls are counted. The loader would write over
 * the stub at the first call, and only that one would be counted. So where it is certain which
 * function the loader would take, the stub takes it, and the loader never writes to the slot. That
 * is so where the importer is of the start, and one object of the start alone has the name, in the
 * version that is wanted. All else stays as it is without counts.
 */
#pragma once

#include "preload/routines/routine_memory.h"

#if ROUTINE_STUBS > 0

/* Once the imports of the start are in the memory, and before slots are pointed to stubs: finds the
 * entries whose functions are to be looked for when they are first called. */
void routine_bind_prepare(struct routine_memory *memory);

/* What the loader will bind the entry to. 0: not certain. */
uintptr_t routine_bind_find(struct routine_memory *memory, const struct routine_entry *entry);

#endif
