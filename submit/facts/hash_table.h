/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hashes of files that were hashed on this node, in <state>/hashes: a table of a fixed size, mapped
 * by all processes that use it, written in place and without a lock. An entry with a wrong check is
 * ignored: two processes have written it at once, or a crash has cut it.
 */
#ifndef JOBTRAIL_HASH_TABLE_H
#define JOBTRAIL_HASH_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

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

/* Maps the table in the directory `state`, made where it is missing. NULL when that cannot be done.
 */
struct hash_table *hash_table_map(const char *state);

/* Finds the file's hash. Returns whether there is one. */
bool hash_table_find(const struct hash_table *table, const struct stat *status, uint32_t user,
                     unsigned char *sha1);

/* Keeps it, in the place of another when there is no room. */
void hash_table_keep(struct hash_table *table, const struct stat *status, uint32_t user,
                     const unsigned char *sha1);

void hash_table_unmap(struct hash_table *table);

#endif
