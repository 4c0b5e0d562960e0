/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading the jobs' spool directories on this node, which the plugin makes (spank/spool.h).
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool_job {
    uint32_t job, restart;
    bool left;     /* a later job of the same id has found it (spank/spool.h): its job is over */
    char name[40]; /* of the directory: JOB.RESTART, with a suffix where it was left */
};

struct spool_jobs {
    struct spool_job *job; /* owned */
    size_t count;
};

/* The directories of the job `job` (0: of all) in the directory `spool`. Returns 0 or -errno. */
int spool_list(int spool, uint32_t job, struct spool_jobs *jobs);

/* Opens the spool directory of a node. Returns a descriptor or -errno; -EPERM where others than
 * this user could write to it: they could forge journals. */
int spool_open_node(const char *path);

/* Opens a job's directory. Returns a descriptor or -errno, as spool_open_node(). */
int spool_open_job(int spool, const struct spool_job *job);

/* Locks the directory, so that no other flush works on it; waits `timeout_s` seconds at the most.
 * Returns 0; -EAGAIN when another flush still has it; -ENOENT when another one has removed it; or
 * another -errno. */
int spool_lock(int directory, unsigned timeout_s);

/* Opens a regular file with one link in the directory, for reading. Returns a descriptor or
 * -errno (-EINVAL for any other kind of file). */
int spool_open_file(int directory, const char *name);

/* spool_open_users() returns it, negated, for a file of another user's. */
#define SPOOL_FOREIGN EUSERS

/* Opens the user's file `name` in the job's directory (spool_part.h) for reading. Returns a
 * descriptor or -errno: as spool_open_file(), and -SPOOL_FOREIGN where it is not `uid`'s. */
int spool_open_users(int directory, const char *name, uid_t uid);

/* Whether the file system with the user's files is gone: returns 0 where it is there, or where the
 * job never had one of its own; 1; or -ESTALE where it was mounted in another mount namespace than
 * this one. */
int spool_part_lost(int directory);

/* Reads such a file whole, at the most `limit` bytes, NUL-terminated, malloc'ed. Returns 0 or
 * -errno (-EFBIG beyond the limit). */
int spool_read_file(int directory, const char *name, size_t limit, char **text, size_t *size);

/* ---- The node's spool ------------------------------------------------------------------------ */

/* Opens the node's spool directory; makes it (0711, as the plugin does) where it is missing. With
 * `may_mount`, a directory in memory, as below /run, that has neither jobs nor a process watch gets
 * a file system of its own (tmpfs of a tenth of the memory at most; it takes what is used of it).
 * So files of others cannot take the room of journals, nor journals that of others. A note of it
 * (SPOOL_MOUNTED) is left in the directory under the mount. Where it cannot be mounted the spool
 * stays a plain directory, and `jobtrail-conf doctor` says so. Returns a descriptor or -errno. */
int spool_node_make(const char *path, bool may_mount);
