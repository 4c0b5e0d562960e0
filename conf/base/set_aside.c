/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/set_aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/io.h"

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
