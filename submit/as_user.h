/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_AS_USER_H
#define JOBTRAIL_AS_USER_H

#include <sys/types.h>

/* Calls `act` in a child process that has become the user for good (privileges.h), and waits ten
 * seconds for it. Returns 0 when `act` did; -ECANCELED when it did not; -ETIMEDOUT when it has not
 * ended, and is killed; or -errno. */
int as_user(uid_t uid, gid_t gid, int (*act)(const void *context), const void *context);

#endif
