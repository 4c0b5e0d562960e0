/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/hash_table.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spank/job_formats.h"

struct hash_table {
    struct hash_table_entry entry[HASH_TABLE_BUCKETS][HASH_TABLE_WAYS];
};

/* FNV-1a, 64 bits. */
static uint64_t fnv(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint32_t entry_check(const struct hash_table_entry *entry)
{
    uint64_t hash = fnv(entry, offsetof(struct hash_table_entry, check));
    return (uint32_t)(hash ^ hash >> 32) | 1; /* an empty entry has 0 */
}

static int64_t time_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct hash_table_entry entry_of(const struct stat *status, uint32_t user)
{
    return (struct hash_table_entry){
        .device = status->st_dev,
        .inode = status->st_ino,
        .size = (uint64_t)status->st_size,
        .modified_ns = time_ns(status->st_mtim),
        .changed_ns = time_ns(status->st_ctim),
        .user = user,
    };
}

/* A file and user always have the same bucket, so that the hash of a changed file replaces the old
 * one. */
static unsigned entry_bucket(const struct hash_table_entry *key)
{
    const uint64_t file[] = {key->device, key->inode, key->user};
    return (unsigned)(fnv(file, sizeof file) % HASH_TABLE_BUCKETS);
}

struct hash_table *hash_table_map(const char *state)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/hashes" JOB_FORMATS_SUFFIX, state);
    if (length < 0 || (size_t)length >= sizeof path)
        return NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    /* the blocks too: writing to a page for which the disk has no room would raise SIGBUS */
    void *mapped =
        posix_fallocate(fd, 0, sizeof(struct hash_table)) != 0
            ? MAP_FAILED
            : mmap(NULL, sizeof(struct hash_table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return mapped == MAP_FAILED ? NULL : mapped;
}

bool hash_table_find(const struct hash_table *table, const struct stat *status, uint32_t user,
                     unsigned char *sha1)
{
    const struct hash_table_entry key = entry_of(status, user);
    unsigned bucket = entry_bucket(&key);
    for (int way = 0; way < HASH_TABLE_WAYS; way++) {
        struct hash_table_entry entry = table->entry[bucket][way];
        if (memcmp(&entry, &key, offsetof(struct hash_table_entry, sha1)) != 0 ||
            entry.check != entry_check(&entry))
            continue;
        memcpy(sha1, entry.sha1, HASH_TABLE_SHA1);
        return true;
    }
    return false;
}

static bool is_of_file(const struct hash_table_entry *entry, const struct hash_table_entry *key)
{
    return entry->device == key->device && entry->inode == key->inode && entry->user == key->user;
}

void hash_table_keep(struct hash_table *table, const struct stat *status, uint32_t user,
                     const unsigned char *sha1)
{
    static unsigned turn;
    struct hash_table_entry entry = entry_of(status, user);
    unsigned bucket = entry_bucket(&entry);
    unsigned place = HASH_TABLE_WAYS;
    for (unsigned way = 0; way < HASH_TABLE_WAYS && place == HASH_TABLE_WAYS; way++)
        if (is_of_file(&table->entry[bucket][way], &entry) || table->entry[bucket][way].check == 0)
            place = way;
    if (place == HASH_TABLE_WAYS)
        place = turn++ % HASH_TABLE_WAYS;
    memcpy(entry.sha1, sha1, HASH_TABLE_SHA1);
    entry.check = entry_check(&entry);
    table->entry[bucket][place] = entry;
}

void hash_table_unmap(struct hash_table *table)
{
    munmap(table, sizeof *table);
}
