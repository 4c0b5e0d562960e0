/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The user's side of keeping profiles: a child that has become the job's user reads its file, and
 * sends a file for each step. Of each step a struct profile_told comes first, as one message.
 */
#ifndef JOBTRAIL_PROFILE_STEPS_H
#define JOBTRAIL_PROFILE_STEPS_H

#include <stdint.h>

#include "submit/flush/reading.h"
#include "submit/flush/worker.h"
#include "submit/profile/tick_scale.h"

/* A unit of the work is a step: its number plus 1. Those that the journal does not have are the
 * last one together. */
#define PROFILE_UNIT_OF(step) ((uint64_t)(step) + 1)
#define PROFILE_UNIT_OTHERS   PROFILE_UNIT_OF(UINT32_MAX)

struct profile_steps {
    const struct reading_request *request; /* of the ends */
    int from;                              /* the user's file */
    struct profile_pair now;
    char boot[64];
};

/* Returns 0 or -errno. */
int profile_steps_send(const struct profile_steps *steps, struct worker_pipe *pipe);

#endif
