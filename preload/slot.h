/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One slot of the job's ledger: claiming it at the start of a process, signing it at the end.
 */
#ifndef JOBTRAIL_SLOT_H
#define JOBTRAIL_SLOT_H

#include <stddef.h>

#include "ledger.h"

enum { SLOT_PATH_ROOM = 4096 };

struct slot_claim {
    struct ledger_header *header; /* stays mapped */
    struct ledger_slot *slot;     /* stays mapped; its magic, offset and size are set */
};

/* Claims a slot with room for `size` bytes (head and fields) in the ledger of the spool directory
 * `spool`; `path` is scratch space of SLOT_PATH_ROOM bytes. Returns 1, or 0 when there is none to
 * be had: where the ledger is there, that is counted in it. The slot's state is still LEDGER_FREE.
 */
int slot_claim(const char *spool, size_t size, char *path, struct slot_claim *claim);

/* Counts a run of the process `pid` as begun. Returns whether no earlier one of this process can be
 * unsigned. */
int slot_first(struct ledger_header *header, int32_t pid);

/* Publishes a filled slot. */
void slot_open(struct ledger_slot *slot);

/* Signs the end. Memory writes only. */
void slot_end(const struct slot_claim *claim, uint64_t end_ns);

/* Gives the slot to the next process that wants one of its size. Memory writes only. */
void slot_discard(const struct slot_claim *claim);

#endif
