/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The jobs' spool directories on this node, as the flush sees them (spank/spool.h makes them).
 */
#ifndef JOBTRAIL_SPOOL_READ_H
#define JOBTRAIL_SPOOL_READ_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool_job {
    uint32_t job, restart;
    int left;      /* a later job of the same id has found it (spank/spool.h): its own is over */
    char name[40]; /* of the directory: JOB.RESTART, and where it was left a suffix */
};

struct spool_jobs {
    struct spool_job *job; /* owned */
    size_t count;
};

/* The directories of the job `job` (0: of all jobs) in the directory open at `spool`. Returns 0 or
 * -errno. */
int spool_list(int spool, uint32_t job, struct spool_jobs *jobs);

/* Opens the spool directory of a node. Returns a descriptor or -errno; -EPERM where others than
 * this user could write to it: they could forge journals. */
int spool_open_node(const char *path);

/* Opens a job's directory. Returns a descriptor or -errno, as spool_open_node(). */
int spool_open_job(int spool, const struct spool_job *job);

/* Makes sure that no other flush works on the directory: waits `timeout_s` seconds at the most.
 * Returns 0; -EAGAIN when another one still does; -ENOENT when another one has finished it. */
int spool_lock(int directory, unsigned timeout_s);

/* Opens a regular file with one link in the directory, for reading. Returns a descriptor or
 * -errno (-EINVAL for any other kind of file). */
int spool_open_file(int directory, const char *name);

/* What spool_open_users() returns, negated, for a file of another user's. */
#define SPOOL_FOREIGN EUSERS

/* Opens the file `name` of what the job's user `uid` owns in the job's directory (spool_part.h),
 * for reading. Returns a descriptor or -errno: as spool_open_file(), and -SPOOL_FOREIGN. */
int spool_open_users(int directory, const char *name, uid_t uid);

/* Whether the file system with what the user owns is gone: returns 0 where it is there, or was
 * never one of its own; 1; or -ESTALE where it was mounted in another mount namespace than this
 * one. */
int spool_part_lost(int directory);

/* Removes what makers of directories that are dead have left, and what spool_remove() has. */
void spool_sweep(int spool, uint64_t now_ns);

/* Reads such a file whole, at the most `limit` bytes, NUL-terminated, malloc'ed. Returns 0 or
 * -errno (-EFBIG beyond the limit). */
int spool_read_file(int directory, const char *name, size_t limit, char **text, size_t *size);

/* Removes a job's directory and all files in it, and unmounts what is mounted there. Where the
 * mount namespace holds it, it stays, empty, under a name that no job has: spool_sweep() in another
 * namespace removes it. Returns 0 or -errno. */
int spool_remove(int spool, int directory, const struct spool_job *job);

#endif
