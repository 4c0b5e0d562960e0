/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_FILE_HASH_H
#define JOBTRAIL_FILE_HASH_H

#include <time.h>

#define FILE_HASH_SIZE 41

/* What the flush needs to know of an executable or library on disk. */
struct file_hash {
    char sha1[FILE_HASH_SIZE]; /* 40 hex digits, or "0" where the file cannot be read */
    struct timespec modified;  /* {0, 0} where it cannot be looked at */
};

/* Hashes the regular file `path`. A file that is gone, special or unreadable gives "0". */
void file_hash(const char *path, struct file_hash *hash);

/* Only the time of its last modification. */
void file_modified(const char *path, struct timespec *modified);

#endif
