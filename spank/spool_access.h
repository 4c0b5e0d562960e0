/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who gets at what is in a job's directory: root, and the job's user by an entry in its access
 * control list. No mode says that: the user would have to own it, and could then change it, and his
 * group may have others in it.
 */
#ifndef JOBTRAIL_SPOOL_ACCESS_H
#define JOBTRAIL_SPOOL_ACCESS_H

#include <sys/types.h>

/* Lets root and `uid` alone search the directory; where its file system has no access control
 * lists, everybody (0711). Returns 0 or -errno. */
int spool_access_give(int directory, uid_t uid);

#endif
