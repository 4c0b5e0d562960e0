/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matches captures of other pid namespaces, whose pids are not those of the node, with processes
 * that the kernel reported. The time since boot is the same there. So a capture and a process are
 * one where the process is of the same task, began and ended when the capture says, and executed
 * the program of that path last. Where that is so of several that ended alike, as of equal programs
 * that were started at once, each capture gets another one, in their order; where some ended
 * otherwise, none.
 */
#pragma once

#include "contrib/witness/job/kernel_notes.h"
#include "submit/evidence/succession.h"
#include "submit/job/journal_read.h"

struct other_pids;

/* Returns 0 or -ENOMEM; other_pids_free() releases. `journal` and `kernel` stay valid. */
int other_pids_new(const struct journal *journal, const struct kernel_notes *kernel,
                   const struct succession *succession, struct other_pids **made);
void other_pids_free(struct other_pids *pids);

/* Pairs the captures of `succession` whose pids are not the node's. Returns 0, -ENOMEM, or -errno
 * of the read. */
int other_pids_pair(struct other_pids *pids, struct ledger_reader *reader,
                    const struct succession *succession);

/* Pairs one more, whose `offset` follows those before. */
void other_pids_take(struct other_pids *pids, const struct capture *capture);

/* The process of a capture whose pid is not the node's; NULL: it is not known. Where the kernel's
 * word has gaps none is: the process that fits may be another one. */
const struct kernel_noted *other_pids_find(const struct other_pids *pids,
                                           const struct capture *capture);
