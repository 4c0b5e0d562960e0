/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_HAND_IN_COLLECT_H
#define JOBTRAIL_HAND_IN_COLLECT_H

#include "submit/job/job_identity.h"
#include "submit/outbox/outbox.h"

/* Takes what a user has handed in (hand_in.h) below his directory, open at `user`, into the outbox,
 * and then removes it. `who` has his ids and his name. A child that has become the user reads and
 * removes; what it takes for records is looked at again here. While more than half of the outbox is
 * used, or another flush is at it, everything stays where it is. Adds to `*taken` what is in the
 * outbox, to `*refused` what was no record of his. After a crash in between, records may be taken
 * again: under the same names. At `end_ns` (CLOCK_MONOTONIC) the child is ended. Returns 0 or
 * -errno, as worker_run() and outbox_commit(). */
int hand_in_collect(const struct conf *conf, const struct job_identity *who, int user,
                    uint64_t end_ns, struct outbox *outbox, uint64_t *taken, uint64_t *refused);

#endif
