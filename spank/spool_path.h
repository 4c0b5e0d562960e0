/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_PATH_H
#define JOBTRAIL_SPOOL_PATH_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In it, the file that the node's watcher locks (fcntl(2)) as long as it lives. */
#define SPOOL_WATCH_LOCK "watch.pid"

/* In the directory of a job, an empty file: a step had --jobtrail=no. */
#define SPOOL_OPTED_OUT "opted_out"

/* In the directory of a job, the part that holds what belongs to the job's user (spool_part.h). */
#define SPOOL_USER "user"

/* Beside it, where that part is a file system of its own: a symbolic link with the mount namespace
 * that it was mounted in, as /proc/self/ns/mnt names it. The same in the directory of the node,
 * below the file system that slurmd's start has mounted over it: who sees the link is elsewhere, or
 * it is unmounted. That directory is in memory, so that no link outlives the boot. */
#define SPOOL_MOUNTED "mounted"

/* Beside the jobs' directories, room for journals (spank/spool_reserve.h). */
#define SPOOL_RESERVE_NAME ".reserve"

/* What a directory is called until it is complete, begins so; and one that is done with, which is
 * held by what is mounted in it. */
#define SPOOL_NEW ".new."

/* Behind the name of a directory that a later job of the same id has found, before a number from 1
 * to SPOOL_LEFT_MAX. */
#define SPOOL_LEFT     ".left"
#define SPOOL_LEFT_MAX 8u

/* The spool directory of a node: `pattern`, as [spool] dir has it, with %n replaced by `node`, into
 * `size` bytes at `path`. Returns 0 or -ENAMETOOLONG. */
static inline int spool_expand(const char *pattern, const char *node, char *path, size_t size)
{
    const char *mark = strstr(pattern, "%n");
    int length = mark == NULL ? snprintf(path, size, "%s", pattern)
                              : snprintf(path, size, "%.*s%s%s", (int)(mark - pattern), pattern,
                                         node, mark + 2);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

#endif
