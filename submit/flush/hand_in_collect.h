/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_HAND_IN_COLLECT_H
#define JOBTRAIL_HAND_IN_COLLECT_H

#include <stdint.h>

#include "submit/flush/session_flush.h"

/* Takes what a user, whose name is known, has handed in (hand_in.h) into the outbox, and then
 * removes it. A child that has become the user reads and removes; what it takes for records is
 * looked at again here. While more than half of the outbox is used, or another flush is at it,
 * everything stays where it is. Ends at `end_ns`. Adds to `*taken` what is in the outbox, to
 * `*refused` what was no record of theirs. After a crash in between, records may be taken again:
 * under the same names. Returns 0 and the outcome, or -errno.
 */
int hand_in_collect(const struct session_user *user, uint64_t *taken, uint64_t *refused,
                    enum flush_outcome *outcome);

#endif
