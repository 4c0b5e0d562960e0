/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha1.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "spank/job_formats.h"

/* ---- The table of hashes --------------------------------------------------------------------- */

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

/* A file and user always have one bucket, so that a changed file's hash replaces the old one. */
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

/* On devices and in memory, and of servers that the site has chosen. */
static const char *const local[] = {"ext2",     "ext3",  "ext4",     "xfs",   "btrfs",
                                    "f2fs",     "zfs",   "tmpfs",    "ramfs", "overlay",
                                    "squashfs", "erofs", "bcachefs", NULL};
static const char *const remote[] = {"nfs",  "nfs4",  "lustre", "gpfs", "beegfs",
                                     "ceph", "panfs", "wekafs", NULL};

static bool is_in(const char *const list[], const char *name)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* Whether the comma-separated `options` have this one. */
static bool has_option(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = options; *at != '\0'; at += *at == ',') {
        size_t size = strcspn(at, ",");
        if (size == length && strncmp(at, name, length) == 0)
            return true;
        at += size;
    }
    return false;
}

/* Of a line of /proc/PID/mountinfo (proc(5)). */
static bool is_line_trusted(const char *line)
{
    char options[256], type[64];
    const char *rest = strstr(line, " - ");
    if (rest == NULL || sscanf(line, "%*u %*u %*s %*s %*s %255s", options) != 1 ||
        strlen(options) == sizeof options - 1 || sscanf(rest, " - %63s", type) != 1)
        return false;
    return is_in(remote, type) || (is_in(local, type) && !has_option(options, "nosuid"));
}

/* FUSE, but root's, as CVMFS: the file system's own options, which are the last word, have the
 * number of who mounted it. The words before are the user's. */
static bool is_line_users(const char *line)
{
    const char *rest = strstr(line, " - fuse"), *last = rest == NULL ? NULL : strrchr(rest, ' '),
               *owner = last == NULL ? NULL : strstr(last, "user_id=");
    return owner != NULL && strtoul(owner + strlen("user_id="), NULL, 10) != 0;
}

static bool is_mount(uint64_t mount, bool (*is_so)(const char *line))
{
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    CLEANUP_FCLOSE FILE *lines = fopen("/proc/self/mountinfo", "re");
    while (lines != NULL && getline(&line, &room, lines) > 0)
        if (strtoull(line, NULL, 10) == mount)
            return is_so(line);
    return false;
}

bool mount_is_trusted(int fd)
{
    struct statx status;
    return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) == 0 &&
           (status.stx_mask & STATX_MNT_ID) != 0 && is_mount(status.stx_mnt_id, is_line_trusted);
}

bool mount_is_users(int fd)
{
    struct statx status;
    const int flags = AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
    return statx(fd, "", flags, STATX_MNT_ID, &status) == 0 &&
           (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 &&
           (status.stx_mask & STATX_MNT_ID) != 0 && is_mount(status.stx_mnt_id, is_line_users);
}

enum { SETTLED_S = 2 };

/* So many bytes are read between two looks at the clock. */
enum { CLOCK_BYTES = 1 << 20, BUFFER_BYTES = 64 << 10 };

struct file_digest {
    struct sha1_ctx context;
    struct file_hash_bounds *bounds; /* NULL: none */
    uint64_t size, done;             /* bytes: what the file says, and what was read */
    uint64_t began_ms;
};

static bool is_within(const struct file_hash_bounds *bounds, uint64_t bytes, uint64_t ms)
{
    return bounds == NULL || (bytes <= bounds->file_bytes && bytes <= bounds->bytes &&
                              ms < bounds->file_ms && ms < bounds->ms);
}

/* The next bytes. Returns how many; 0 at the end; or -errno, -EFBIG beyond the bounds. */
static ssize_t read_more(struct file_digest *digest, int fd, unsigned char *buffer)
{
    if (digest->done % CLOCK_BYTES < BUFFER_BYTES &&
        !is_within(digest->bounds, digest->size, clock_ms() - digest->began_ms))
        return -EFBIG;
    ssize_t got = read(fd, buffer, BUFFER_BYTES);
    if (got < 0)
        return -errno;
    digest->done += (uint64_t)got;
    return digest->done > digest->size ? -ESTALE : got;
}

static int digest_all(struct file_digest *digest, int fd, unsigned char *sha1)
{
    unsigned char buffer[BUFFER_BYTES];
    ssize_t got;
    sha1_init(&digest->context);
    while ((got = read_more(digest, fd, buffer)) > 0)
        sha1_update(&digest->context, (size_t)got, buffer);
    if (got < 0)
        return (int)got;
    sha1_digest(&digest->context, SHA1_DIGEST_SIZE, sha1);
    return digest->done == digest->size ? 0 : -ESTALE;
}

/* `left` - `used`, at least 0 */
static uint64_t subtract(uint64_t left, uint64_t used)
{
    return left > used ? left - used : 0;
}

/* What takes time to hash, and no room on the disk: a file of some MiB with more holes than bytes.
 * One of more pieces than are looked at has less than a sixteenth of its size on the disk: a file
 * system that compresses leaves more of a library. */
static bool has_holes(int fd, uint64_t size)
{
    enum { PIECES = 1000, LEAST = 16 << 20, BLOCK = 512 };
    struct stat status;
    uint64_t holes = 0;
    off_t at = 0, data = 0;
    for (int i = 0; size > LEAST && i < PIECES && at < (off_t)size && data >= 0; i++) {
        data = lseek(fd, at, SEEK_DATA);
        off_t end = data < 0 ? (off_t)size : data;
        holes += (uint64_t)(end - at);
        at = data < 0 ? end : lseek(fd, data, SEEK_HOLE);
    }
    bool is_thin = at < (off_t)size && fstat(fd, &status) == 0 &&
                   (uint64_t)status.st_blocks * BLOCK < size / 16;
    return lseek(fd, 0, SEEK_SET) != 0 || (size > LEAST && (holes > size / 2 || is_thin));
}

/* Returns 0; -EFBIG where the file is beyond the bounds; or another -errno. */
static int digest_file(struct file_hash_bounds *bounds, int fd, uint64_t size, unsigned char *sha1)
{
    struct file_digest digest = {.bounds = bounds, .size = size, .began_ms = clock_ms()};
    if (bounds != NULL && bounds->leaves_holes && has_holes(fd, size))
        return -EFBIG;
    int error = digest_all(&digest, fd, sha1);
    if (bounds != NULL) {
        bounds->bytes = subtract(bounds->bytes, digest.done);
        bounds->ms = subtract(bounds->ms, clock_ms() - digest.began_ms);
    }
    return error;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Whether nobody has written to the file while it was read, nor so shortly before that its times,
 * which have a limited resolution, may not show a change. */
static bool is_settled(int fd, const struct stat *before)
{
    struct stat after;
    time_t now = time(NULL);
    return fstat(fd, &after) == 0 && after.st_size == before->st_size &&
           is_same_time(&after.st_mtim, &before->st_mtim) &&
           is_same_time(&after.st_ctim, &before->st_ctim) &&
           now - before->st_mtim.tv_sec > SETTLED_S && now - before->st_ctim.tv_sec > SETTLED_S;
}

/* Returns as digest_file(). */
static int find_or_make(struct hash_table *table, struct file_hash_bounds *bounds, int fd,
                        const struct stat *status, unsigned char *sha1)
{
    bool is_roots = table != NULL && status->st_uid == 0 &&
                    (status->st_mode & (S_IWGRP | S_IWOTH)) == 0 && mount_is_trusted(fd);
    uint32_t user = is_roots ? HASH_TABLE_ALL : geteuid();
    if (table != NULL && hash_table_find(table, status, user, sha1))
        return 0;
    int error = digest_file(bounds, fd, (uint64_t)status->st_size, sha1);
    if (error == 0 && table != NULL && is_settled(fd, status))
        hash_table_keep(table, status, user, sha1);
    return error;
}

void file_hash(struct hash_table *table, struct file_hash_bounds *bounds, const char *path,
               struct file_hash *hash)
{
    *hash = (struct file_hash){.sha1 = "0"};
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, path, 0);
    if (fd >= 0)
        file_hash_of(table, bounds, fd, hash);
}

void file_hash_of(struct hash_table *table, struct file_hash_bounds *bounds, int fd,
                  struct file_hash *hash)
{
    struct stat status;
    unsigned char sha1[HASH_TABLE_SHA1];
    *hash = (struct file_hash){.sha1 = "0"};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        hash->modified = status.st_mtim;
        int error = find_or_make(table, bounds, fd, &status, sha1);
        hash->beyond = error == -EFBIG;
        hash->error = error;
        if (error == 0)
            text_hex(sha1, HASH_TABLE_SHA1, hash->sha1);
    }
}
