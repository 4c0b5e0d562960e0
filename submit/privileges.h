/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_PRIVILEGES_H
#define JOBTRAIL_PRIVILEGES_H

#include <sys/types.h>

/* Gives up everything but what the user `uid` with the group `gid` has, for good: no new
 * privileges, limited memory, processor time and descriptors, no core file, not traceable by the
 * user; the process dies with its parent. A caller that is not root must be the user already.
 * Returns 0, or -errno: then the process must end. */
int privileges_drop(uid_t uid, gid_t gid);

#endif
