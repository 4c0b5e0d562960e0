/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_FILE_HASH_H
#define JOBTRAIL_FILE_HASH_H

#include <time.h>

#include "hash_table.h"

#define FILE_HASH_SIZE 41

/* What the flush needs to know of an executable or library on disk. */
struct file_hash {
    char sha1[FILE_HASH_SIZE]; /* 40 hex digits, or "0" where the file cannot be read */
    struct timespec modified;  /* {0, 0} where it cannot be looked at */
};

/* Hashes the regular file `path`, or finds its hash in `table` (NULL: none) and keeps it there. A
 * file that is gone, special or unreadable gives "0".
 *
 * A hash is kept for all users only where this one cannot have had a hand in it: the file is
 * root's, nobody else may write to it, and it is on no file system that a user can make up (FUSE).
 * Any other is kept for him alone. One of a file that has just been changed is not kept: it could
 * change once more within the same tick of the file system's clock. */
void file_hash(struct hash_table *table, const char *path, struct file_hash *hash);

#endif
