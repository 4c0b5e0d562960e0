/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "outbox_quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "io.h"

static int write_file(int directory, const char *name, const char *text, size_t length)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    const struct iovec parts[] = {{(void *)text, length}, {(void *)"\n", 1}};
    int result = io_write_parts(fd, parts, 2);
    if (result == 0 && fsync(fd) != 0)
        result = -errno;
    close(fd);
    return result;
}

int outbox_quarantine(const struct conf *conf, const char *transport, const char *name,
                      const char *text, size_t length, const char *reason)
{
    char path[PATH_MAX], beside[NAME_MAX + 1];
    int size = snprintf(path, sizeof path, "%s/quarantine/outbox/%s", conf->state, transport);
    if (size < 0 || (size_t)size >= sizeof path)
        return -ENAMETOOLONG;
    size = snprintf(beside, sizeof beside, "%s.reason", name);
    if (size < 0 || (size_t)size >= sizeof beside)
        return -ENAMETOOLONG;
    int directory = directory_make(path, 0700);
    if (directory < 0)
        return directory;
    int result = write_file(directory, name, text, length);
    if (result == 0)
        result = write_file(directory, beside, reason, strlen(reason));
    if (result == 0 && fsync(directory) != 0)
        result = -errno;
    close(directory);
    return result;
}
