/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who may search a job's directory: root, and the job's user by an entry in its access control
 * list. Mode bits cannot say this: the user would have to own the directory and could then change
 * it, and other users may be in the user's group.
 */
#ifndef JOBTRAIL_SPOOL_ACCESS_H
#define JOBTRAIL_SPOOL_ACCESS_H

#include <sys/types.h>

/* Lets root and `uid` search the directory, and nobody else. On a file system without access
 * control lists everybody may (0711). Returns 0 or -errno. */
int spool_access_give(int directory, uid_t uid);

#endif
