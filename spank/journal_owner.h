/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose journal lies in a directory of the spool: Slurm gives out the ids of jobs again, and what
 * an earlier job has left must not be taken for that of the one that runs now.
 */
#ifndef JOBTRAIL_JOURNAL_OWNER_H
#define JOBTRAIL_JOURNAL_OWNER_H

#include <sys/types.h>

/* Whether the journal in the directory `job` is of a job of this user, of this boot of the node,
 * and whose epilog has not begun: returns 1, or 0 where it is not, is missing or cannot be
 * understood; -errno where it could not be read. */
int journal_is_of(int job, uid_t uid);

/* Whether it is of a job of this user, over or not. Returns as above. */
int journal_is_users(int job, uid_t uid);

#endif
