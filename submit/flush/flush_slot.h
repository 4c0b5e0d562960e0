/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When the epilogs of a node wait no longer, one flush at a time goes on: the one that holds the
 * lock on <state>/flush.lock. The other flushes leave their jobs in the spool. The holder flushes
 * these after its own jobs.
 */
#ifndef JOBTRAIL_FLUSH_SLOT_H
#define JOBTRAIL_FLUSH_SLOT_H

/* Takes it. Returns a descriptor, to be closed; -EAGAIN while another has it; or -errno. */
int flush_slot_take(const char *state);

#endif
