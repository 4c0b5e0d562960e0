/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/lock_line.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int lock_line_write(int lock, const char *line)
{
    size_t length = strlen(line);
    ssize_t written = pwrite(lock, line, length, 0);
    return written < 0 ? -errno : (size_t)written == length ? 0 : -ENOSPC;
}

int lock_line_open(const char *state, const char *name, char *line, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", state, name) >= (int)sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    ssize_t length = pread(fd, line, size - 1, 0);
    int error = length < 0 ? -errno : -ENOENT;
    if (length > 0) {
        line[length] = '\0';
        return fd;
    }
    close(fd);
    return error;
}
