/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "journal.h"
#include "packages.h"

static int all_zero(const char *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Copies the first `limit` bytes, of them what is not zero: a ledger is mostly a hole, and its
 * owner can make it as long as the file system allows. */
static int copy_bytes(int from, int to, uint64_t limit)
{
    char block[64 << 10];
    off_t at = 0;
    ssize_t got;
    while ((got = pread(from, block, sizeof block, at)) > 0 && (uint64_t)at < limit) {
        if (!all_zero(block, (size_t)got) && pwrite(to, block, (size_t)got, at) != got)
            return -EIO;
        at += got;
    }
    return got < 0 || ftruncate(to, at) != 0 ? -errno : 0;
}

/* What is missing, or no file that root would open, is left out: the reason stays. */
static int copy_file(int from_directory, int to_directory, const char *name, uint64_t limit)
{
    int from = spool_open_file(from_directory, name);
    if (from == -ENOENT || from == -EINVAL)
        return 0;
    if (from < 0)
        return from;
    int to =
        openat(to_directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int result = to < 0 ? -errno : copy_bytes(from, to, limit);
    if (to >= 0)
        close(to);
    close(from);
    return result;
}

static int write_reason(int directory, const char *reason)
{
    int fd =
        openat(directory, "reason", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result = dprintf(fd, "%s\n", reason) < 0 ? -EIO : 0;
    close(fd);
    return result;
}

int quarantine_keep(const struct conf *conf, const struct spool_job *job, int directory,
                    const char *reason)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/quarantine/%s", conf->state, job->name);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    int target = directory_make(path, 0700);
    if (target < 0)
        return target;
    int result = copy_file(directory, target, "ledger", conf->ledger_bytes);
    if (result == 0)
        result = copy_file(directory, target, PACKAGES_NAME, PACKAGES_BYTES + PACKAGES_LINE);
    if (result == 0)
        result = copy_file(directory, target, JOURNAL_NAME, UINT64_MAX);
    if (result == 0)
        result = write_reason(target, reason);
    close(target);
    return result;
}
