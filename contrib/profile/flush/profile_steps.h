/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The child's side of keeping a job's profiles (profile_keep.c): as the user, it reads the file
 * that the processes left, names its stacks, and sends for each step what its record tells
 * (profile_tell.h, one message), its profile set (set_file.h), the logs that [profile] logs has
 * (profile_logs.h), and the samples of the ranks that [profile] samples has (sample_file.h).
 */
#ifndef JOBTRAIL_PROFILE_STEPS_H
#define JOBTRAIL_PROFILE_STEPS_H

#include "conf/base/worker.h"
#include "contrib/profile/tick_scale.h"
#include "submit/flush/reading.h"

/* The last message where the file is no profile, and where memory does not suffice for it; else
 * that one is empty. */
#define PROFILE_STEPS_NONE  "none"
#define PROFILE_STEPS_LARGE "large"

struct profile_steps {
    const struct reading_request *request; /* of the ends */
    struct profile_pair now;
    char boot[64]; /* that `now` is of */
    int from;      /* the user's file */
};

/* All that the child does. Returns 0 or -errno. */
int profile_steps_send(const struct profile_steps *steps, struct worker_pipe *pipe);

#endif
