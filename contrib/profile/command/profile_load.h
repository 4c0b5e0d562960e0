/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PROFILE_LOAD_H
#define JOBTRAIL_PROFILE_LOAD_H

#include <stdbool.h>

#include "contrib/profile/profile_set.h"

/* Adds what the file has to the set: a file of profiles as processes leave it, which is then of the
 * node `node`, or a set (set_file.h); `is_kept`: a set alone, and no file that it names is opened.
 * Returns 0 or -errno: -EINVAL where it is neither. */
int profile_load(const char *path, bool is_kept, const char *node, const char *debug,
                 struct profile_set *set);

#endif
