/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Makes the file for profiles (preload/profile/profile_file.h) of `bytes` for the user in the
 * directory open at `part`, unless it is there already. Returns 0 or -errno (-EPERM: another
 * user's is there). */
int spool_make_profile(int part, uid_t uid, gid_t gid, uint64_t bytes);
