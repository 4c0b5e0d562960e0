/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROFILE_TELL_H
#define JOBTRAIL_PROFILE_TELL_H

#include "contrib/profile/profile_set.h"
#include "contrib/profile/record/profile_record.h"
#include "contrib/profile/record/profile_runs.h"

/* What records are to tell of the set, of each MPI program: `*count` of them, those with the most
 * ranks first. `runs` are of the set's ranks; their order is changed. Returns 0 or -ENOMEM. */
int profile_tell(const struct profile_set *set, struct profile_runs *runs,
                 struct profile_told told[PROFILE_TOLD_PROGRAMS], size_t *count);

#endif
