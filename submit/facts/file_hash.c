/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha1.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/text.h"
#include "submit/facts/mount_trust.h"

enum { SETTLED_S = 2 };

/* So many bytes are read between two looks at the clock. */
enum { CLOCK_BYTES = 1 << 20, BUFFER_BYTES = 64 << 10 };

struct digest {
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
static ssize_t read_more(struct digest *digest, int fd, unsigned char *buffer)
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

static int digest_all(struct digest *digest, int fd, unsigned char *sha1)
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

/* Returns 0; -EFBIG where the file is beyond the bounds; or another -errno. */
static int digest_file(struct file_hash_bounds *bounds, int fd, uint64_t size, unsigned char *sha1)
{
    struct digest digest = {.bounds = bounds, .size = size, .began_ms = clock_ms()};
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

static uint32_t entry_user(int fd, const struct stat *status)
{
    bool is_roots =
        status->st_uid == 0 && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0 && mount_is_trusted(fd);
    return is_roots ? HASH_TABLE_ALL : geteuid();
}

/* Returns as digest_file(). */
static int find_or_make(struct hash_table *table, struct file_hash_bounds *bounds, int fd,
                        const struct stat *status, unsigned char *sha1)
{
    uint32_t user = table == NULL ? geteuid() : entry_user(fd, status);
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
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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
