/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a run that is sampled out leaves in its slot: a stub (struct ledger_stub). It is written
 * between the capture and the stubs that are there already, and counts when the capture is
 * discarded by the same store. So a process that is killed meanwhile leaves its capture.
 */
#ifndef JOBTRAIL_STUB_H
#define JOBTRAIL_STUB_H

#include <stddef.h>

#include "preload/ledger.h"
#include "preload/slot.h"

struct stub_source {
    struct ledger_stub head; /* of which units and places do not matter */
    /* The fields of the capture, as in the slot, in private memory, and after them, at
     * `captured_bytes`, room to work: `room` bytes in all. */
    unsigned char *captured;
    size_t captured_bytes, room;
};

/* Writes the stub. Returns how many bytes of the slot are stubs then, or 0 where it has no room and
 * nothing was written. Memory writes only. */
uint32_t stub_write(const struct slot_claim *claim, const struct stub_source *source);

#endif
