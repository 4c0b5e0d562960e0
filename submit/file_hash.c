/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "file_hash.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int digest_file(int fd, unsigned char *digest, unsigned *size)
{
    unsigned char buffer[64 << 10];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int ok = context != NULL && EVP_DigestInit_ex(context, EVP_sha1(), NULL) == 1;
    ssize_t got = 0;
    while (ok && (got = read(fd, buffer, sizeof buffer)) > 0)
        ok = EVP_DigestUpdate(context, buffer, (size_t)got) == 1;
    ok = ok && got == 0 && EVP_DigestFinal_ex(context, digest, size) == 1;
    EVP_MD_CTX_free(context);
    return ok;
}

/* The files that were hashed last: a job runs the same executables again and again. */
enum { CACHE_ENTRIES = 256 };

static struct entry {
    struct stat status;
    char sha1[FILE_HASH_SIZE]; /* "" in an entry that is not in use */
} cache[CACHE_ENTRIES];

static struct entry *entry_of(const struct stat *status)
{
    return &cache[(status->st_ino ^ status->st_dev) % CACHE_ENTRIES];
}

static int same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int is_of(const struct entry *entry, const struct stat *status)
{
    return entry->sha1[0] != '\0' && entry->status.st_ino == status->st_ino &&
           entry->status.st_dev == status->st_dev && entry->status.st_size == status->st_size &&
           same_time(&entry->status.st_mtim, &status->st_mtim) &&
           same_time(&entry->status.st_ctim, &status->st_ctim);
}

static void hash_open_file(int fd, const struct stat *status, char *sha1)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    struct entry *entry = entry_of(status);
    if (!is_of(entry, status)) {
        if (!digest_file(fd, digest, &size))
            return;
        entry->status = *status;
        for (unsigned i = 0; i < size && i < (FILE_HASH_SIZE - 1) / 2; i++)
            snprintf(entry->sha1 + 2 * (size_t)i, 3, "%02x", digest[i]);
    }
    memcpy(sha1, entry->sha1, FILE_HASH_SIZE);
}

void file_hash(const char *path, struct file_hash *hash)
{
    struct stat status;
    *hash = (struct file_hash){.sha1 = "0"};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        hash->modified = status.st_mtim;
        hash_open_file(fd, &status, hash->sha1);
    }
    close(fd);
}

void file_modified(const char *path, struct timespec *modified)
{
    struct stat status;
    *modified = (struct timespec){0, 0};
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        *modified = status.st_mtim;
}
