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

void file_hash(const char *path, struct file_hash *hash)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    struct stat status;
    *hash = (struct file_hash){.sha1 = "0"};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        hash->modified = status.st_mtim;
        if (digest_file(fd, digest, &size)) {
            for (unsigned i = 0; i < size && i < (FILE_HASH_SIZE - 1) / 2; i++)
                snprintf(hash->sha1 + 2 * (size_t)i, 3, "%02x", digest[i]);
        }
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
