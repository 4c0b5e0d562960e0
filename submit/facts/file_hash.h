/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_FILE_HASH_H
#define JOBTRAIL_FILE_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "submit/facts/hash_table.h"

#define FILE_HASH_SIZE 41

/* An executable or library on disk. */
struct file_hash {
    char sha1[FILE_HASH_SIZE]; /* 40 hex digits, or "0" where the file cannot be read */
    struct timespec modified;  /* {0, 0} where it cannot be looked at */
    int beyond;                /* not hashed, as it is beyond the bounds: 0 or 1 */
    int error;                 /* why it is not hashed, -errno: -ESTALE where it was changed
                                  meanwhile; or 0 */
};

/* What hashing may cost. */
struct file_hash_bounds {
    uint64_t file_bytes, file_ms; /* of one file */
    uint64_t bytes, ms;           /* of all: what is left */
};

/* Hashes the regular file `path`, or finds its hash in `table` (NULL: none) and keeps it there. The
 * hash is "0" for a file that is gone, special or unreadable, and for one whose size is not the
 * number of its bytes, as in /proc. A file beyond `bounds` (NULL: none), which count down, is not
 * hashed, not even in part. How long a single read may take is left to the file system.
 *
 * A hash is kept for all users only where this user cannot have influenced it: the file is root's,
 * nobody else may write to it, and it is on a file system that no user can mount or make up
 * (mount_is_trusted()). Any other hash is kept for this user alone. The hash of a file that has
 * just been changed is not kept: the file could change again within the same tick of the file
 * system's clock. */
void file_hash(struct hash_table *table, struct file_hash_bounds *bounds, const char *path,
               struct file_hash *hash);

/* The same of an open file, from where its descriptor stands. */
void file_hash_of(struct hash_table *table, struct file_hash_bounds *bounds, int fd,
                  struct file_hash *hash);

/* Whether no user can decide what the file system of the file open at `fd` holds: it is on a mount
 * of this process's namespace, of a kind in a fixed list, which FUSE is not in; and, if it is on a
 * device or in memory, it is mounted without nosuid. Mounts of users (the option user of fstab(5),
 * removable media) have nosuid. False in doubt. */
bool mount_is_trusted(int fd);

#endif
