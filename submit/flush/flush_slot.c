/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int flush_slot_take(const char *state)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/flush.lock", state);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int error = errno;
    close(fd);
    return error == EWOULDBLOCK ? -EAGAIN : -error;
}
