/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/damaged.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"

#define CREATE_FLAGS (O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
#define ENDING       ".json"

/* Makes the directory where only its last name is missing. */
static int make_directory(const char *path, char *culprit, size_t size)
{
    char copy[PATH_MAX];
    const char *name;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof copy)
        return -ENAMETOOLONG;
    snprintf(copy, sizeof copy, "%.*s", (int)length, path);
    CLEANUP_CLOSE int parent = trusted_parent(copy, &name, TRUSTED_STICKY, culprit, size);
    if (parent < 0)
        return parent;
    return mkdirat(parent, name, 0700) != 0 && errno != EEXIST ? -errno : 0;
}

int damaged_open(const char *path, char *culprit, size_t size)
{
    int fd = trusted_directory(path, TRUSTED_STICKY, culprit, size);
    if (fd != -ENOENT)
        return fd;
    int error = make_directory(path, culprit, size);
    return error != 0 ? error : trusted_directory(path, TRUSTED_STICKY, culprit, size);
}

static int copy_file(int from_dir, const char *name, int to_dir, const char *kept)
{
    struct stat facts;
    CLEANUP_CLOSE int from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return -errno;
    if (fstat(from, &facts) != 0)
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return -EXDEV;
    CLEANUP_CLOSE int to = openat(to_dir, kept, CREATE_FLAGS, 0600);
    int error = to < 0 ? -errno : set_aside_copy(from, to, facts.st_size);
    return error == 0 && fsync(to_dir) != 0 ? -errno : error;
}

static int move_file(int from_dir, const char *name, int to_dir, const char *kept)
{
    if (renameat(from_dir, name, to_dir, kept) == 0)
        return 0;
    if (errno != EXDEV)
        return -errno;
    int error = copy_file(from_dir, name, to_dir, kept);
    if (error == 0 && unlinkat(from_dir, name, 0) != 0)
        error = -errno;
    if (error != 0)
        unlinkat(to_dir, kept, 0);
    return error;
}

int damaged_keep(int kept_fd, const char *name, const char *text, size_t size, const char *reason)
{
    const struct iovec part = {(void *)(uintptr_t)text, size};
    int error = set_aside_write(kept_fd, name, SET_ASIDE_NEW, &part, 1);
    if (error == 0)
        error = set_aside_reason(kept_fd, name, SET_ASIDE_NEW, reason);
    return error == 0 && fsync(kept_fd) != 0 ? -errno : error;
}

/* NAME.json, NAME.2.json, NAME.3.json, ... */
static int make_name(char *kept, const char *name, unsigned number)
{
    size_t length = strlen(name), ending = sizeof ENDING - 1;
    if (length < ending || strcmp(name + length - ending, ENDING) != 0)
        ending = 0;
    char among[16] = "";
    if (number > 1)
        snprintf(among, sizeof among, ".%u", number);
    int size = snprintf(kept, NAME_MAX + 1, "%.*s%s%s", (int)(length - ending), name, among,
                        name + length - ending);
    return size > NAME_MAX ? -ENAMETOOLONG : 0;
}

/* The reason is there first: of several loaders one makes it. */
static int reserve_name(int dir, const char *name, const char *reason)
{
    int error = set_aside_reason(dir, name, SET_ASIDE_NEW, reason);
    if (error != 0 || faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return error;
    set_aside_forget(dir, name);
    return -EEXIST;
}

int damaged_move(int kept_fd, int dir_fd, const char *name, const char *reason)
{
    char kept[NAME_MAX + 1];
    int error = -EEXIST;
    for (unsigned number = 1; error == -EEXIST; number++) {
        error = make_name(kept, name, number);
        if (error == 0)
            error = reserve_name(kept_fd, kept, reason);
    }
    if (error != 0)
        return error;
    error = move_file(dir_fd, name, kept_fd, kept);
    if (error != 0)
        set_aside_forget(kept_fd, kept);
    return error;
}
