/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/io.h"

#include <errno.h>
#include <unistd.h>

int io_write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

int io_write_parts(int fd, const struct iovec *parts, int count)
{
    size_t skip = 0;
    ssize_t written = writev(fd, parts, count);
    if (written < 0 && errno != EINTR)
        return -errno;
    if (written > 0)
        skip = (size_t)written;
    for (int i = 0; i < count; i++) {
        size_t done = skip < parts[i].iov_len ? skip : parts[i].iov_len;
        int result =
            io_write_all(fd, (const char *)parts[i].iov_base + done, parts[i].iov_len - done);
        if (result != 0)
            return result;
        skip -= done;
    }
    return 0;
}
