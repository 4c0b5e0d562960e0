/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The jobs' spool directories on this node, as the flush sees them (spank/spool.h makes them).
 */
#ifndef JOBTRAIL_SPOOL_READ_H
#define JOBTRAIL_SPOOL_READ_H

#include <stddef.h>
#include <stdint.h>

struct spool_job {
    uint32_t job, restart;
    char name[32]; /* of the directory: JOB.RESTART */
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

/* Reads such a file whole, at the most `limit` bytes, NUL-terminated, malloc'ed. Returns 0 or
 * -errno (-EFBIG beyond the limit). */
int spool_read_file(int directory, const char *name, size_t limit, char **text, size_t *size);

/* Removes a job's directory and all files in it. Returns 0 or -errno. */
int spool_remove(int spool, int directory, const struct spool_job *job);

#endif
