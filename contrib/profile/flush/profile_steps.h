/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The child's side of keeping profiles (kept_profiles.h): as the user, it sends for each step what
 * its record tells (profile_tell.h, one message), its profile set (set_file.h), the logs that
 * [profile] logs has, and the samples of the ranks that [profile] samples has (sample_file.h). Logs
 * are what jobtrail-profile(1) shows: a summary of all ranks, and one of each number of a rank that
 * the site and the user name.
 */
#pragma once

#include "contrib/profile/flush/kept_profiles.h"
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
    int from;      /* the file that the processes left */
};

/* Reads that file, and names its stacks. Returns 0 or -errno. */
int profile_steps_send(const struct profile_steps *steps, struct worker_pipe *pipe);

/* The sets of a step's nodes, each in a file of the user's. */
struct profile_parts {
    const struct conf *conf;
    const struct journal_step *step;
    int place; /* the files' directory */
    const struct kept_name *const *part;
    size_t count;
};

/* Makes one set of them, and its logs. Returns 0 or -errno. */
int profile_parts_send(const struct profile_parts *parts, struct worker_pipe *pipe);
