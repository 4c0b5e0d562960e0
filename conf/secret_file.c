/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"

static bool is_secret(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 077) == 0 &&
           (status.st_uid == 0 || status.st_uid == geteuid());
}

ssize_t secret_file_read(const char *path, char *text, size_t size)
{
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    if (!is_secret(fd))
        return -EPERM;
    ssize_t length = io_read(fd, text, size);
    if (length == (ssize_t)size)
        length = -EFBIG;
    if (length < 0)
        explicit_bzero(text, size);
    else
        text[length] = '\0';
    return length;
}

const char *secret_file_trouble(int error)
{
    return error == -EPERM ? "others than its owner may read it, or it is not root's (chown root, "
                             "chmod 600; no link)"
                           : strerror(-error);
}
