/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trusted_place.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether others than root may change names in it; of root's group is root alone. */
static bool others_write(const struct stat *facts)
{
    return (facts->st_mode & S_IWOTH) != 0 ||
           ((facts->st_mode & S_IWGRP) != 0 && facts->st_gid != 0);
}

static int check_directory(const char *path, bool is_above, char *trouble, size_t size)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return -errno;
    if (facts.st_uid != 0) {
        snprintf(trouble, size,
                 "root writes no store below %s, which is user %u's: run this as that user", path,
                 (unsigned)facts.st_uid);
        return -EPERM;
    }
    if (others_write(&facts) && !(is_above && (facts.st_mode & S_ISVTX) != 0)) {
        snprintf(trouble, size,
                 "root writes no store below %s, which others can write to: chmod go-w it, or run "
                 "this as another user",
                 path);
        return -EPERM;
    }
    return 0;
}

/* `path` is without links; it is cut short. */
static int check_all(char *path, char *trouble, size_t size)
{
    int error = check_directory(path, false, trouble, size);
    while (error == 0 && path[1] != '\0') {
        char *slash = strrchr(path, '/');
        slash[slash == path ? 1 : 0] = '\0';
        error = check_directory(path, true, trouble, size);
    }
    return error;
}

int trusted_link(const char *path)
{
    struct stat facts;
    bool is_foreign =
        geteuid() == 0 && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) && facts.st_uid != 0;
    return is_foreign ? -EPERM : 0;
}

/* The directory of the file, without links; of a link to it, where that leads. */
static int find_directory(const char *path, char *directory)
{
    char copy[PATH_MAX];
    if (realpath(path, directory) == NULL) {
        if ((size_t)snprintf(copy, sizeof copy, "%s", path) >= sizeof copy)
            return -ENAMETOOLONG;
        char *slash = strrchr(copy, '/');
        if (slash != NULL)
            slash[slash == copy ? 1 : 0] = '\0';
        return realpath(slash == NULL ? "." : copy, directory) == NULL ? -errno : 0;
    }
    char *slash = strrchr(directory, '/');
    slash[slash == directory ? 1 : 0] = '\0';
    return 0;
}

int trusted_place(const char *path, char *trouble, size_t size)
{
    char directory[PATH_MAX];
    if (geteuid() != 0)
        return 0;
    if (trusted_link(path) != 0) {
        snprintf(trouble, size, "is another user's link");
        return -EPERM;
    }
    int error = find_directory(path, directory);
    return error == 0 ? check_all(directory, trouble, size) : error;
}
