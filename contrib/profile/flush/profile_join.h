/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The profiles of a step's nodes in one file. Each node's flush leaves its own; the one that finds
 * those of all nodes there makes one of them: JOB.RESTART.STEP.profile. No node waits for another.
 * Two that come at once see all files both, and would write the same. The nodes' files stay. The
 * logs that [profile] logs has are made of the whole, too.
 */
#ifndef JOBTRAIL_PROFILE_JOIN_H
#define JOBTRAIL_PROFILE_JOIN_H

#include "contrib/profile/flush/kept_profiles.h"

/* Joins the files of those steps whose nodes have all left theirs; they are read by a child that
 * has become the job's user. Does nothing for steps of one node; says where there is too much to
 * read in a flush, or what cannot be read: `jobtrail-profile merge` does that. Files from before
 * the step began are another job's. Returns 0 or -errno. */
int profile_join(struct kept_profiles *kept);

#endif
