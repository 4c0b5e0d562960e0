/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of the routines of designated libraries (`[routines]` in jobtrail.conf(5)) a run calls. A
 * program calls a routine of a shared library through a slot of its global offset table. The slots
 * of designated routines are pointed to stubs. The first call by a stub writes its time into the
 * run's slot of the ledger, which a process that is killed leaves as it is. Then it gives the slot
 * of the table its value back, where the loader has still to store to it. Otherwise the stub stays,
 * and passes calls on.
 *
 * A first call makes no system call, allocates nothing and takes no lock. On any trouble the
 * routine is called as if there were no stub.
 *
 * This is the one place where the library meets the extension: without it nothing is noted.
 */
#pragma once

#include <stdbool.h>

#include "extensions.h"
#include "preload/clock.h"
#include "preload/fields.h"
#include "preload/image.h"
#include "preload/ledger.h"

#if JOBTRAIL_ROUTINES

/* Finds the imports of designated routines, by a usable policy, and adds a LEDGER_ROUTINES field
 * where a designated library is loaded; after it, `later` bytes of room stay. Nothing is changed in
 * the process yet. */
void routines_choose(const struct image *image, const void *policy, size_t later,
                     struct fields *fields);

/* Points the slots to stubs, once the fields have been published in `slot`. */
void routines_point(struct ledger_slot *slot, clock_function *now);

/* Whether a designated routine was called in the run. */
bool routines_were_called(void);

#else

static inline void routines_choose(const struct image *image, const void *policy, size_t later,
                                   struct fields *fields)
{
    (void)image, (void)policy, (void)later, (void)fields;
}

static inline void routines_point(struct ledger_slot *slot, clock_function *now)
{
    (void)slot, (void)now;
}

static inline bool routines_were_called(void)
{
    return false;
}

#endif
