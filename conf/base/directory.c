/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ---- Directories ----------------------------------------------------------------------------- */

int directory_open(int at, const char *path)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return fd < 0 ? -errno : fd;
}

int directory_open_own(int at, const char *path)
{
    struct stat status;
    int fd = directory_open(at, path);
    if (fd < 0 || (fstat(fd, &status) == 0 && status.st_uid == getuid() &&
                   (status.st_mode & (S_IWGRP | S_IWOTH)) == 0))
        return fd;
    close(fd);
    return -EPERM;
}

int directory_make_one(int at, const char *path, mode_t mode)
{
    if (mkdirat(at, path, mode) == 0)
        return fchmodat(at, path, mode, 0) != 0 ? -errno : 0;
    return errno == EEXIST ? 0 : -errno;
}

int directory_make_open(int at, const char *path, mode_t mode)
{
    int error = directory_make_one(at, path, mode);
    return error != 0 ? error : directory_open(at, path);
}

int directory_make_all(const char *path, mode_t mode)
{
    char text[PATH_MAX];
    if (strlen(path) >= sizeof text)
        return -ENAMETOOLONG;
    strcpy(text, path);
    for (char *slash = text; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        int error = directory_make_one(AT_FDCWD, text, 0755);
        if (error != 0)
            return error;
    }
    return directory_make_one(AT_FDCWD, text, mode);
}

int directory_make(const char *path, mode_t mode)
{
    int error = directory_make_all(path, mode);
    int fd = error != 0 ? error : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 && error == 0 ? -errno : fd;
}

/* The directory, or the nearest above it that is there. Returns a descriptor or -errno. */
static int open_nearest(const char *path)
{
    char text[PATH_MAX];
    if (strlen(path) >= sizeof text)
        return -ENAMETOOLONG;
    strcpy(text, path);
    for (;;) {
        int fd = open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
        char *slash = strrchr(text, '/');
        if (fd >= 0 || errno != ENOENT || slash == NULL)
            return fd < 0 ? -errno : fd;
        slash[slash == text] = '\0';
    }
}

bool directory_is_in(const char *path, const char *other)
{
    struct stat wanted, at, above;
    if (stat(other, &wanted) != 0)
        return false;
    int fd = open_nearest(path);
    while (fd >= 0 && fstat(fd, &at) == 0) {
        if (at.st_dev == wanted.st_dev && at.st_ino == wanted.st_ino) {
            close(fd);
            return true;
        }
        int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = up;
        if (fd < 0 || fstat(fd, &above) != 0 ||
            (above.st_dev == at.st_dev && above.st_ino == at.st_ino)) /* the root */
            break;
    }
    if (fd >= 0)
        close(fd);
    return false;
}

bool directory_is_shared(const char *path)
{
    /* From linux/magic.h and the file systems' own sources. */
    static const unsigned types[] = {0x6969 /* NFS */,
                                     0xff534d42 /* CIFS */,
                                     0xfe534d42 /* SMB2 */,
                                     0x0bd00bd0 /* Lustre */,
                                     0x47504653 /* GPFS */,
                                     0x00c36400 /* Ceph */,
                                     0x19830326 /* BeeGFS */};
    struct statfs status;
    for (size_t i = 0; statfs(path, &status) == 0 && i < sizeof types / sizeof types[0]; i++) {
        if ((unsigned)status.f_type == types[i])
            return true;
    }
    return false;
}

/* ---- What is in a directory ------------------------------------------------------------------ */

int listing_take(int fd, DIR **listing)
{
    *listing = fd < 0 ? NULL : fdopendir(fd);
    if (*listing != NULL)
        return 0;
    int error = fd < 0 ? fd : -errno;
    if (fd >= 0)
        close(fd);
    return error;
}

int listing_open(int at, const char *path, DIR **listing)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return listing_take(fd < 0 ? -errno : fd, listing);
}

const char *listing_next(DIR *listing)
{
    const struct dirent *entry = NULL;
    errno = 0;
    do
        entry = listing == NULL ? NULL : readdir(listing);
    while (entry != NULL && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry == NULL ? NULL : entry->d_name;
}
