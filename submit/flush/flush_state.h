/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the jobs of one call of flush_run() share.
 */
#ifndef JOBTRAIL_FLUSH_STATE_H
#define JOBTRAIL_FLUSH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "submit/flush/flush.h"
#include "submit/outbox/outbox.h"

struct flush_state {
    const struct conf *conf;
    const struct flush_options *options;
    struct outbox *outbox; /* NULL: a dry run */
    int spool;
    uint64_t now_ns; /* since the Epoch */
    struct flush_count *count;
    uint64_t wait_ns;      /* CLOCK_MONOTONIC: until then an epilog may wait for this flush */
    uint64_t job_ns;       /* the same: when this job's time is over */
    int slot;              /* flush_slot.h; -1: not held */
    bool is_queued;        /* another flush holds it: what is left is for that one */
    uint64_t without_room; /* jobs whose records find no room in the outbox, in this round */
};

/* Asked of a struct flush_state when its time is over: when an epilog waits no longer, one flush of
 * the node goes on. Returns until when, CLOCK_MONOTONIC; 0: no longer. */
uint64_t flush_more_time(void *state);

#endif
