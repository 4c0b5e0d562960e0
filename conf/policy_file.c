/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/policy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/trusted.h"
#include "conf/policy/policy_open.h"
#include "conf/policy/policy_read.h"

/* Writes the new file under its temporary name. */
static int fill(int fd, const void *bytes, size_t size)
{
    int rc = io_write_all(fd, bytes, size);
    if (rc != 0)
        return rc;
    if (fchmod(fd, 0644) != 0 || fsync(fd) != 0)
        return -errno;
    return 0;
}

/* A file that nobody had a name for before. */
static int open_new(int place, const char *name, char *temporary, size_t size)
{
    unsigned number;
    int fd = -1;
    do {
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return -EIO;
        if ((size_t)snprintf(temporary, size, "%s.%08x", name, number) >= size)
            return -ENAMETOOLONG;
        fd = openat(place, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    } while (fd < 0 && errno == EEXIST);
    return fd < 0 ? -errno : fd;
}

/* Who else can write to the directory may have put something in the place of our file. */
static int has_name(int fd, int place, const char *name)
{
    struct stat ours, found;
    return fstat(fd, &ours) == 0 && fstatat(place, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == found.st_dev && ours.st_ino == found.st_ino;
}

/* Gives the file its name, durably. */
static int put_in_place(int fd, int place, const char *temporary, const char *name)
{
    if (renameat(place, temporary, place, name) != 0)
        return -errno;
    if (!has_name(fd, place, name))
        return -EPERM;
    return fsync(place) != 0 ? -errno : 0;
}

int policy_file_write(const char *path, const void *bytes, size_t size)
{
    char temporary[NAME_MAX + 1], culprit[PATH_MAX];
    const char *name;
    CLEANUP_CLOSE int place =
        trusted_parent(path, &name, TRUSTED_ANYBODYS, culprit, sizeof culprit);
    if (place < 0)
        return place;
    CLEANUP_CLOSE int fd = open_new(place, name, temporary, sizeof temporary);
    if (fd < 0)
        return fd;
    int rc = fill(fd, bytes, size);
    if (rc == 0)
        rc = put_in_place(fd, place, temporary, name);
    if (rc != 0 && has_name(fd, place, temporary))
        unlinkat(place, temporary, 0);
    return rc;
}

static int later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* `certain`: a policy as old as the configuration is not taken for newer. */
static int current(const char *path, const char *conf, int certain)
{
    struct stat compiled, source;
    CLEANUP_FREE void *policy = NULL;
    if (stat(conf, &source) != 0 || policy_open(path, &compiled, &policy) != 0)
        return 0;
    const char *compiled_from = policy_string(policy, POLICY_CONF);
    const struct timespec *changed =
        later(&source.st_mtim, &source.st_ctim) ? &source.st_mtim : &source.st_ctim;
    return (certain ? later(&compiled.st_mtim, changed) : !later(changed, &compiled.st_mtim)) &&
           compiled_from != NULL && strcmp(compiled_from, conf) == 0;
}

int policy_file_current(const char *path, const char *conf)
{
    return current(path, conf, 1);
}

int policy_file_in_force(const char *path, const char *conf)
{
    return current(path, conf, 0);
}
