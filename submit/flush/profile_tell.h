/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROFILE_TELL_H
#define JOBTRAIL_PROFILE_TELL_H

#include "submit/profile/profile_set.h"
#include "submit/record/profile_record.h"

/* What a record is to tell of the set. Returns 0 or -ENOMEM. */
int profile_tell(const struct profile_set *set, struct profile_told *told);

#endif
