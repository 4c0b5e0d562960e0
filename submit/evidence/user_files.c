/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/evidence/user_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the kernel has no openat2(), or a sandbox does not allow it, mounts are followed. */
static int open_below(int at, const char *name, int flags)
{
    const struct open_how how = {.flags = (unsigned)(flags | O_RDONLY | O_CLOEXEC | O_NOFOLLOW),
                                 .resolve =
                                     RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    long fd = syscall(SYS_openat2, at, name, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = openat(at, name, (int)how.flags);
    return fd < 0 ? -errno : (int)fd;
}

int user_directory_open(int at, const char *name, uid_t uid)
{
    struct stat status;
    int fd = open_below(at, name, O_DIRECTORY);
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) == 0 && status.st_uid == uid)
        return fd;
    close(fd);
    return -EPERM;
}

int user_file_open(int at, const char *name, uid_t uid)
{
    struct stat status;
    int fd = open_below(at, name, O_NONBLOCK);
    if (fd < 0)
        return fd == -ELOOP || fd == -ENXIO ? -EINVAL : fd; /* a symbolic link, a socket */
    int error = fstat(fd, &status) != 0                            ? -errno
                : !S_ISREG(status.st_mode) || status.st_nlink != 1 ? -EINVAL
                : status.st_uid != uid                             ? -EPERM
                                                                   : 0;
    if (error == 0)
        return fd;
    close(fd);
    return error;
}
