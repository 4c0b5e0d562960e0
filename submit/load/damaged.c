/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "damaged.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREATE_FLAGS (O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)

int damaged_open(const char *path)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int copy_bytes(int from, int to)
{
    ssize_t sent;
    do
        sent = sendfile(to, from, NULL, 1u << 20);
    while (sent > 0 || (sent < 0 && errno == EINTR));
    return sent < 0 || fsync(to) != 0 ? -errno : 0;
}

static int copy_file(int from_dir, int to_dir, const char *name)
{
    struct stat facts;
    int from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return -errno;
    int error = fstat(from, &facts) != 0 ? -errno : S_ISREG(facts.st_mode) ? 0 : -EXDEV;
    int to = error == 0 ? openat(to_dir, name, CREATE_FLAGS, 0600) : -1;
    if (error == 0)
        error = to < 0 ? -errno : copy_bytes(from, to);
    if (to >= 0)
        close(to);
    close(from);
    return error;
}

static int move_file(int from_dir, int to_dir, const char *name)
{
    if (renameat(from_dir, name, to_dir, name) == 0)
        return 0;
    if (errno != EXDEV)
        return -errno;
    int error = copy_file(from_dir, to_dir, name);
    if (error == 0 && unlinkat(from_dir, name, 0) != 0)
        error = -errno;
    return error;
}

static int write_reason(int dir, const char *name, const char *reason)
{
    char reason_name[NAME_MAX + sizeof ".reason"];
    snprintf(reason_name, sizeof reason_name, "%s.reason", name);
    int fd = openat(dir, reason_name, CREATE_FLAGS, 0600);
    if (fd < 0)
        return -errno;
    int error = dprintf(fd, "%s\n", reason) < 0 ? -errno : 0;
    return close(fd) != 0 && error == 0 ? -errno : error;
}

static int write_text(int dir, const char *name, const char *text, size_t size)
{
    int fd = openat(dir, name, CREATE_FLAGS | O_EXCL, 0600);
    if (fd < 0)
        return -errno;
    int error = 0;
    while (error == 0 && size > 0) {
        ssize_t done = write(fd, text, size);
        if (done < 0 && errno != EINTR)
            error = -errno;
        text += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    if (error == 0 && fsync(fd) != 0)
        error = -errno;
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error != 0)
        unlinkat(dir, name, 0);
    return error;
}

int damaged_keep(int kept_fd, const char *name, const char *text, size_t size, const char *reason)
{
    int error = write_text(kept_fd, name, text, size);
    if (error == 0)
        error = write_reason(kept_fd, name, reason);
    return error == 0 && fsync(kept_fd) != 0 ? -errno : error;
}

int damaged_move(int kept_fd, int dir_fd, const char *name, const char *reason)
{
    int error = write_reason(kept_fd, name, reason);
    return error == 0 ? move_file(dir_fd, kept_fd, name) : error;
}
