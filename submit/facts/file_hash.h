/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* ---- The table of hashes --------------------------------------------------------------------- */

/* Hashes of files that were hashed on this node, in <state>/hashes: a table of a fixed size, mapped
 * by all processes that use it, written in place and without a lock. An entry with a wrong check is
 * ignored: two processes have written it at once, or a crash has cut it. */

enum { HASH_TABLE_BUCKETS = 16384, HASH_TABLE_WAYS = 4, HASH_TABLE_SHA1 = 20 };

/* The user of an entry that holds for all users; others hold for one user, who may have influenced
 * them. */
#define HASH_TABLE_ALL UINT32_MAX

struct hash_table_entry {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns; /* since the Epoch */
    uint32_t user;                   /* a uid, or HASH_TABLE_ALL */
    unsigned char sha1[HASH_TABLE_SHA1];
    uint32_t check; /* over the members before it */
    uint32_t reserved;
};

struct hash_table;

/* Maps the table in the directory `state`, made where it is missing. NULL where it cannot be. */
struct hash_table *hash_table_map(const char *state);

/* Finds the file's hash. Returns whether there is one. */
bool hash_table_find(const struct hash_table *table, const struct stat *status, uint32_t user,
                     unsigned char *sha1);

/* Keeps it, in the place of another when there is no room. */
void hash_table_keep(struct hash_table *table, const struct stat *status, uint32_t user,
                     const unsigned char *sha1);

void hash_table_unmap(struct hash_table *table);

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
    bool leaves_holes;            /* a file is not hashed that has more holes than bytes */
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

/* Whether the directory open at `fd`, by O_PATH too, is one with which a mount begins of which a
 * user decides what it holds: a FUSE that root did not mount. Its file system is not asked, since
 * it may not answer. Before Linux 5.8 false. */
bool mount_is_users(int fd);
