/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/profile_part.h"

#include "extensions.h"

static int no_profile_given(int is_kept, const char *argument, int remote)
{
    (void)is_kept;
    (void)argument;
    if (!remote)
        slurm_info("jobtrail: no profile will be made: this jobtrail is built without profiles");
    return 0;
}

static const struct profile_part no_profile = {.option_given = no_profile_given};
const struct profile_part *const profile_part = JOBTRAIL_PROFILE ? &profile_part_row : &no_profile;
