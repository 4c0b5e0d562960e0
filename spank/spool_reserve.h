/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Room for the journals of jobs to come, where users' files are on the file system of the journals
 * and may have filled it: a file of root's, which gives up a share of its blocks when a job's
 * directory cannot be made.
 */
#ifndef JOBTRAIL_SPOOL_RESERVE_H
#define JOBTRAIL_SPOOL_RESERVE_H

#define SPOOL_RESERVE_SHARES 8

/* Makes the reserve in the node's directory `base` as large as it is to be: 4 MiB, or a sixteenth
 * of a small file system. Without room for it there is none. */
void spool_reserve_fill(int base);

/* Gives up a share. Returns whether there was one. */
int spool_reserve_take(int base);

#endif
