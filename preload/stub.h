/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a run that is sampled out leaves in its slot: a stub (struct ledger_stub). It is written
 * between the capture and the stubs that are there already, and counts when the capture is
 * discarded by the same store. So a process that is killed meanwhile leaves its capture.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "conf/policy/policy.h"
#include "preload/ledger.h"
#include "preload/slot.h"
#include "preload/switches.h"

/* ---- Sampling -------------------------------------------------------------------------------- */

/* Sampling: whether a run is kept, by how long it ran, decided at its end without a system call. */

enum { SAMPLING_INTERVALS_MAX = 16 };

/* The table that a run is sampled by, copied from the policy. */
struct sampling {
    uint32_t count;   /* 0: always kept */
    uint32_t testing; /* testing_ns replaces the run time */
    uint64_t testing_ns;
    uint64_t table; /* identity of the table (policy.h); 0: none */
    struct policy_interval interval[SAMPLING_INTERVALS_MAX];
};

/* Whether the run and its start are always recorded: MPI programs with as many ranks as the site's
 * threshold or more. `policy` must be usable. */
int sampling_is_always_kept(const void *policy, const struct switches *switches);

/* Chooses the table for a run: none where sampling is off, or where the run is always recorded.
 * `policy` must be usable. */
void sampling_choose(const void *policy, const struct switches *switches,
                     struct sampling *sampling);

/* The entry for a run of `run_ns`; NULL: the run is kept. */
const struct policy_interval *sampling_find(const struct sampling *sampling, uint64_t run_ns);

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
