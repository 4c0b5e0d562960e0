/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/trusted.h"

int library_own_directory(const char *path, mode_t mode, char *trouble, size_t size)
{
    char culprit[PATH_MAX] = "";
    int error = mode == 0 ? 0 : directory_make_all(path, mode);
    int fd = error != 0 ? error : trusted_directory(path, TRUSTED_ALONE, culprit, sizeof culprit);
    if (fd == -EPERM && culprit[0] != '\0')
        snprintf(trouble, size, "root writes nothing to %s: %.200s can be changed by others", path,
                 culprit);
    else if (fd < 0 && (fd != -ENOENT || mode != 0))
        snprintf(trouble, size, "%s: %s", path, strerror(-fd));
    return fd;
}

int library_lock(const char *state, bool is_waiting, char *trouble, size_t size)
{
    CLEANUP_CLOSE int directory = library_own_directory(state, 0700, trouble, size);
    if (directory < 0)
        return directory;
    int fd = openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : 0;
    while (error == 0 && flock(fd, is_waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            error = -errno;
    if (error == 0)
        return fd;
    if (error != -EWOULDBLOCK)
        snprintf(trouble, size, "%s/lock: %s", state, strerror(-error));
    if (fd >= 0)
        close(fd);
    return error;
}
