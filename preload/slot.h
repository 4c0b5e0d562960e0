/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One slot of the job's ledger: claiming it at the start of a process, signing it at the end.
 *
 * Other processes of the user have the ledger mapped too, even sandboxed ones, and may write
 * anything into it at any time. So the offset and the size of the slot are kept in private memory,
 * and no value is read from the ledger again after it was checked. All writes stay within the
 * header's page and the claimed slot, and every loop is bounded.
 */
#ifndef JOBTRAIL_SLOT_H
#define JOBTRAIL_SLOT_H

#include <stddef.h>

#include "preload/ledger.h"

enum { SLOT_PATH_ROOM = 4096 };

/* To be kept in private memory. */
struct slot_claim {
    struct ledger_header *header; /* shared; stays mapped */
    struct ledger_slot *slot;     /* shared; stays mapped */
    uint64_t offset;              /* of the slot in the file */
    uint32_t size;                /* of the slot, bytes */
    int32_t pid;                  /* counted by slot_count_run() */
};

/* Claims a slot with room for `size` bytes (head and fields) in the ledger of the spool directory
 * `spool`. The ledger must belong to `user`, the process's own. `path` is scratch space of
 * SLOT_PATH_ROOM bytes. Returns 1, or 0 where no slot can be claimed, which is counted in the
 * ledger where there is one. The slot's state is still LEDGER_FREE. */
int slot_claim(const char *spool, uint32_t user, size_t size, char *path, struct slot_claim *claim);

/* Counts a run of the process `pid` as begun. Returns whether no earlier one of this process can be
 * unsigned. */
int slot_count_run(struct slot_claim *claim, int32_t pid);

/* Writes `head` (whose magic, offset, size and state do not matter) and `size` bytes of fields into
 * the slot, which has room for them, and publishes it. */
void slot_open(const struct slot_claim *claim, const struct ledger_slot *head, const void *fields,
               size_t size);

/* Signs the end. Memory writes only. */
void slot_end(const struct slot_claim *claim, uint64_t end_ns);

/* Gives the slot to the next process that wants one of its size. Memory writes only. */
void slot_discard(const struct slot_claim *claim);

#endif
