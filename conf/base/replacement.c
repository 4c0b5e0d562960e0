/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/io.h"

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

/* ---- Files that are set aside ---------------------------------------------------------------- */

#define ENDING ".reason"

struct reason_name {
    char text[NAME_MAX + sizeof ENDING];
};

static struct reason_name reason_of(const char *name)
{
    struct reason_name reason;
    snprintf(reason.text, sizeof reason.text, "%s" ENDING, name);
    return reason;
}

int set_aside_write(int directory, const char *name, enum set_aside_mode mode,
                    const struct iovec *parts, int count)
{
    const int how = mode == SET_ASIDE_NEW ? O_EXCL : O_TRUNC;
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | how, 0600);
    if (fd < 0)
        return -errno;
    int error = io_write_parts(fd, parts, count);
    if (error == 0 && fsync(fd) != 0)
        error = -errno;
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error != 0 && mode == SET_ASIDE_NEW)
        unlinkat(directory, name, 0);
    return error;
}

int set_aside_reason(int directory, const char *name, enum set_aside_mode mode, const char *reason)
{
    const struct iovec parts[] = {{(void *)(uintptr_t)reason, strlen(reason)}, {(void *)"\n", 1}};
    return set_aside_write(directory, reason_of(name).text, mode, parts, 2);
}

void set_aside_forget(int directory, const char *name)
{
    unlinkat(directory, reason_of(name).text, 0);
}

static int copy_range(int from, int to, off_t at, off_t end)
{
    ssize_t sent = 1;
    if (lseek(to, at, SEEK_SET) < 0)
        return -errno;
    while (at < end && (sent > 0 || (sent < 0 && errno == EINTR)))
        sent = sendfile(to, from, &at, (size_t)(end - at));
    return sent < 0 ? -errno : 0;
}

int set_aside_copy(int from, int to, off_t limit)
{
    struct stat status;
    if (fstat(from, &status) != 0)
        return -errno;
    const off_t size = status.st_size < limit ? status.st_size : limit;
    int error = 0;
    for (off_t at, end = 0; error == 0 && end < size;) {
        at = lseek(from, end, SEEK_DATA);
        if (at < 0 && errno == ENXIO) /* a hole up to the end */
            break;
        if (at >= 0)
            end = lseek(from, at, SEEK_HOLE);
        if (at < 0 || end < 0)
            return -errno;
        error = copy_range(from, to, at, end < size ? end : size);
    }
    if (error == 0 && (ftruncate(to, size) != 0 || fsync(to) != 0))
        error = -errno;
    return error;
}
