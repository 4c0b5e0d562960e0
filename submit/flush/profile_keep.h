/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROFILE_KEEP_H
#define JOBTRAIL_PROFILE_KEEP_H

#include "submit/flush/job_read.h"

/* Makes of the file with profiles of a job that is over, in its directory, one for its user
 * for each step, in [profile] directory: JOB.RESTART.STEP.NODE.profile. The user's file is read by
 * a child that has become the user, and is removed when all is kept. Does nothing without that
 * directory, or without such a file. Returns 0 and the outcome: FLUSH_DONE, or why the file cannot
 * be used (FLUSH_PROFILE_FOREIGN to FLUSH_PROFILE_LARGE); or -errno. Records do not depend on it.
 */
int profile_keep(const struct flush_state *state, const struct journal *journal, int directory,
                 enum flush_outcome *outcome);

#endif
