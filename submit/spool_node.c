/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spool_node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "directory.h"

static int is_empty(int directory)
{
    struct dirent *entry;
    int empty = 1;
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL && fd >= 0)
        close(fd);
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (listing != NULL)
        closedir(listing);
    return listing != NULL && empty;
}

/* Whether it lies in the directory above, and that in memory. */
static int shares_memory(int directory)
{
    struct stat own, above;
    struct statfs kind;
    return fstat(directory, &own) == 0 &&
           fstatat(directory, "..", &above, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == above.st_dev && fstatfs(directory, &kind) == 0 &&
           kind.f_type == TMPFS_MAGIC;
}

int spool_node_make(const char *path, int may_mount)
{
    int directory = directory_make(path, 0711);
    if (directory < 0 || !may_mount || !shares_memory(directory) || !is_empty(directory) ||
        mount("jobtrail", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=10%,mode=0711") !=
            0)
        return directory;
    close(directory);
    return directory_make(path, 0711);
}
