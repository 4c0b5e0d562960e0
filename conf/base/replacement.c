/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int name_of(const char *path, char name[PATH_MAX])
{
    int length = snprintf(name, PATH_MAX, "%s.new", path);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* A writer that opened the file before the last one renamed it has that one's file. */
static int take(int at, const char *name, int fd)
{
    struct stat ours, named;
    if (fstat(fd, &ours) != 0)
        return -errno;
    if (!S_ISREG(ours.st_mode) || ours.st_nlink > 1 || ours.st_uid != geteuid())
        return -EPERM;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return -errno;
    if (fstatat(at, name, &named, AT_SYMLINK_NOFOLLOW) != 0 || named.st_ino != ours.st_ino ||
        named.st_dev != ours.st_dev)
        return -EAGAIN;
    return fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0 ? -errno : 0;
}

int replacement_open_as(int at, const char *name)
{
    int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return -errno;
    int error = take(at, name, fd);
    if (error == 0)
        return fd;
    close(fd);
    return error;
}

int replacement_open(int at, const char *path)
{
    char name[PATH_MAX];
    int error = name_of(path, name);
    return error != 0 ? error : replacement_open_as(at, name);
}

int replacement_end_as(int at, const char *name, const char *path, int fd, mode_t mode, int error)
{
    if (error == 0 && (fchmod(fd, mode) != 0 || renameat(at, name, at, path) != 0))
        error = -errno;
    if (error != 0)
        unlinkat(at, name, 0);
    return error;
}

int replacement_end(int at, const char *path, int fd, mode_t mode, int error)
{
    char name[PATH_MAX];
    int named = name_of(path, name);
    return named != 0 ? named : replacement_end_as(at, name, path, fd, mode, error);
}
