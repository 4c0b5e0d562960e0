/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What happens in an allocation that partition.h divides, in the order of time: steps, tasks and
 * runs begin, are in doubt and end, within what they are part of. What has no length has no events.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/facts/partition_input.h"

enum partition_event_kind {
    EVENT_STEP_BEGINS, /* not of batch steps: their tasks say all */
    EVENT_STEP_ENDS,
    EVENT_TASK_BEGINS,
    EVENT_TASK_IN_DOUBT, /* from now on it may live */
    EVENT_TASK_ENDS,
    EVENT_RUN_BEGINS,   /* not of wrappers, nor of a follower's runs */
    EVENT_RUN_IS_OVER,  /* is not known to live any more */
    EVENT_RUN_IN_DOUBT, /* from now on it may live */
    EVENT_RUN_ENDS,     /* after doubt */
    EVENT_PAUSE_BEGINS,
    EVENT_PAUSE_ENDS,
    EVENT_MIDNIGHT,
};

/* At equal times they have any order: it does not matter, as no share has a length of 0. */
struct partition_event {
    uint64_t time_ns;
    uint32_t index; /* of the step, task or run */
    enum partition_event_kind kind;
};

/* The events of a sound input. Returns 0 or -ENOMEM; free() releases `*event`, written only on
 * success. */
int partition_events_make(const struct partition_input *input, struct partition_event **event,
                          size_t *count);
