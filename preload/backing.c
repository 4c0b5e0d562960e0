/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/backing.h"

#include "preload/image.h"
#include "preload/ledger.h"
#include "preload/system.h"

/* So much is allocated at once. */
enum { BACKING_STEP = 256 << 10 };
_Static_assert(BACKING_STEP >= LEDGER_SLOT_MAX + 2 * IMAGE_PAGE_MAX, "all pages of a slot");

/* So many failed exchanges in a row happen only where a process keeps writing to the border in
 * order to disturb the others. */
enum { TRIES = 1000 };

bool backing_extend(const struct backing *backing, uint64_t from, uint64_t to)
{
    uint64_t end = from + BACKING_STEP < to ? to : from + BACKING_STEP;
    uint64_t border = __atomic_load_n(backing->border, __ATOMIC_RELAXED);
    if (end > backing->size)
        end = backing->size;
    if (system_failed(system_allocate(backing->fd, from, end - from)))
        return !system_failed(system_allocate(backing->fd, from, to - from));
    for (int i = 0; i < TRIES && border < end && from <= border; i++) {
        if (__atomic_compare_exchange_n(backing->border, &border, end, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            break;
    }
    return true;
}
