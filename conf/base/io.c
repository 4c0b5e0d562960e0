/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

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

/* ---- Files read whole ------------------------------------------------------------------------ */

enum { STEP_BYTES = 16 << 10 };

/* One byte more than the file is said to have, so that its end is seen, and one for the NUL. A file
 * of /proc says 0. */
static size_t first_room(int fd, size_t limit)
{
    struct stat status;
    size_t size =
        fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : STEP_BYTES;
    return (size < limit ? size : limit) + 2;
}

int whole_file_read(int fd, size_t limit, char **text, size_t *size)
{
    size_t used = 0, room = 0, needed = first_room(fd, limit);
    CLEANUP_FREE char *bytes = NULL;
    do {
        if (GROW_TO(bytes, room, needed) != 0)
            return -ENOMEM;
        ssize_t got = io_read_at(fd, bytes + used, room - used - 1, (off_t)used);
        if (got < 0)
            return (int)got;
        used += (size_t)got;
        if (used > limit)
            return -EFBIG;
        needed = used + 2;
    } while (needed > room);
    bytes[used] = '\0';
    *text = bytes;
    *size = used;
    bytes = NULL;
    return 0;
}

int whole_file_take(int fd, size_t limit, char **text, size_t *size)
{
    struct stat status;
    CLEANUP_CLOSE int file = fd;
    if (file < 0)
        return file;
    if (fstat(file, &status) != 0)
        return -errno;
    return S_ISREG(status.st_mode) ? whole_file_read(file, limit, text, size) : -EINVAL;
}

int whole_file_open_read(const char *path, size_t limit, char **text, size_t *size)
{
    return whole_file_take(io_open_regular(AT_FDCWD, path, 0), limit, text, size);
}

static int reopen(int place, int flags)
{
    char path[64];
    struct stat status;
    if (fstat(place, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return S_ISLNK(status.st_mode) ? -ELOOP : -EINVAL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    return fd < 0 ? -errno : fd;
}

int io_reopen_regular(int place)
{
    return reopen(place, 0);
}

int io_open_regular(int at, const char *path, int flags)
{
    CLEANUP_CLOSE int place = openat(at, path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
    if (place < 0)
        return -errno;
    int fd = reopen(place, flags & O_NOATIME);
    return fd == -EPERM && (flags & O_NOATIME) != 0 ? reopen(place, 0) : fd;
}
