/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

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
            done == parts[i].iov_len
                ? 0
                : io_write_all(fd, (const char *)parts[i].iov_base + done, parts[i].iov_len - done);
        if (result != 0)
            return result;
        skip -= done;
    }
    return 0;
}

/* From `offset` on, or with -1 from where the descriptor stands. */
static ssize_t io_read_from(int fd, char *bytes, size_t size, off_t offset)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = offset < 0 ? read(fd, bytes + used, size - used)
                                 : pread(fd, bytes + used, size - used, offset + (off_t)used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

ssize_t io_read(int fd, void *bytes, size_t size)
{
    return io_read_from(fd, bytes, size, -1);
}

ssize_t io_read_at(int fd, void *bytes, size_t size, off_t offset)
{
    return offset < 0 ? -EINVAL : io_read_from(fd, bytes, size, offset);
}

ssize_t io_read_text(int at, const char *path, char *text, size_t size)
{
    CLEANUP_CLOSE int fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = fd < 0 ? -errno : io_read(fd, text, size - 1);
    text[got < 0 ? 0 : got] = '\0';
    return got;
}
