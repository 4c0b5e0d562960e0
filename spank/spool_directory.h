/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_DIRECTORY_H
#define JOBTRAIL_SPOOL_DIRECTORY_H

/* Opens a directory that nobody but this user can change: the node's, or a job's in it. Returns a
 * descriptor or -errno; -EPERM where others could write to it, and so forge a journal. */
int spool_open_directory(int at, const char *path);

#endif
