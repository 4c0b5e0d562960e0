/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_FILE_HASH_H
#define JOBTRAIL_FILE_HASH_H

#include <stdint.h>
#include <time.h>

#include "submit/facts/hash_table.h"

#define FILE_HASH_SIZE 41

/* What the flush needs to know of an executable or library on disk. */
struct file_hash {
    char sha1[FILE_HASH_SIZE]; /* 40 hex digits, or "0" where the file cannot be read */
    struct timespec modified;  /* {0, 0} where it cannot be looked at */
    int beyond;                /* not hashed, as it is beyond the bounds */
};

/* What hashing may cost. */
struct file_hash_bounds {
    uint64_t file_bytes, file_ms; /* of one file */
    uint64_t bytes, ms;           /* of all: what is left */
};

/* Hashes the regular file `path`, or finds its hash in `table` (NULL: none) and keeps it there. A
 * file that is gone, special or unreadable gives "0", and so does one that is no longer or shorter
 * than it says, as those of /proc are. One that is beyond `bounds` (NULL: none), which count down,
 * is not read, or no further: there is no hash of a part. What takes long is the file system's to
 * end.
 *
 * A hash is kept for all users only where this one cannot have had a hand in it: the file is
 * root's, nobody else may write to it, and it is on a file system that no user can mount or make up
 * (mount_trust.h).
 * Any other is kept for him alone. One of a file that has just been changed is not kept: it could
 * change once more within the same tick of the file system's clock. */
void file_hash(struct hash_table *table, struct file_hash_bounds *bounds, const char *path,
               struct file_hash *hash);

#endif
