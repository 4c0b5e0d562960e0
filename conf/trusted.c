/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 /* as the kernel's */, OVERFLOW_UID = 65534 };

/* A way through the file system, one name after the other. */
struct way {
    int at;                 /* the directory that it has reached */
    char rest[PATH_MAX];    /* what is still to be gone */
    char reached[PATH_MAX]; /* for messages alone: what it has come by */
    int links;
};

/* The kernel's number for the user namespace that all others descend from is fixed
 * (PROC_USER_INIT_INO). */
static int in_user_namespace(void)
{
    char name[64] = "";
    ssize_t length = readlink("/proc/self/ns/user", name, sizeof name - 1);
    return length > 0 && strcmp(name, "user:[4026531837]") != 0;
}

static int is_roots(uid_t owner)
{
    return owner == 0 || (owner == OVERFLOW_UID && in_user_namespace());
}

static int is_safe(const struct stat *status)
{
    int sticky = S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX) != 0;
    int others_write = (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
    /* The mode of a link means nothing. */
    return is_roots(status->st_uid) && (S_ISLNK(status->st_mode) || !others_write || sticky);
}

/* Takes `fd` for the place that the way has reached. */
static void go_to(struct way *way, int fd)
{
    if (way->at >= 0)
        close(way->at);
    way->at = fd;
}

static int start(struct way *way)
{
    struct stat status;
    int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    go_to(way, fd);
    strcpy(way->reached, "/");
    return fstat(fd, &status) == 0 && is_safe(&status) ? 0 : -EPERM;
}

/* Takes the next name off what is left. Returns 0 when there is none. */
static int next_name(struct way *way, char *name)
{
    char *from = way->rest + strspn(way->rest, "/");
    size_t length = strcspn(from, "/");
    if (length == 0 || length > NAME_MAX)
        return 0;
    memcpy(name, from, length);
    name[length] = '\0';
    memmove(way->rest, from + length, strlen(from + length) + 1);
    size_t used = strlen(way->reached);
    snprintf(way->reached + used, sizeof way->reached - used, "%s%s",
             used > 0 && way->reached[used - 1] == '/' ? "" : "/", name);
    return 1;
}

/* Puts what the link `fd` says in front of what is left. */
static int follow(struct way *way, int fd)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t length = readlinkat(fd, "", target, sizeof target - 1);
    if (length < 0)
        return -errno;
    if (++way->links > LINKS_MAX)
        return -ELOOP;
    target[length] = '\0';
    *strrchr(way->reached, '/') = '\0'; /* the link's name gives way to where it leads */
    strcpy(rest, way->rest);
    if ((size_t)snprintf(way->rest, sizeof way->rest, "%s/%s", target, rest) >= sizeof way->rest)
        return -ENAMETOOLONG;
    return target[0] == '/' ? start(way) : 0;
}

/* Goes on by one name. Returns 0, or -errno. */
static int step(struct way *way, const char *name)
{
    struct stat status;
    int fd = openat(way->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int result = fstat(fd, &status) != 0 ? -errno : is_safe(&status) ? 0 : -EPERM;
    if (result == 0 && S_ISLNK(status.st_mode)) {
        result = follow(way, fd);
        close(fd);
        return result;
    }
    go_to(way, fd);
    return result;
}

/* What a descriptor that is only a place leads to is this very file, whatever its name is now. */
static int open_place(int place)
{
    char path[64];
    struct stat status;
    if (fstat(place, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

/* From /, whatever `path` is relative to. */
static int set_out(struct way *way, const char *path)
{
    char here[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        return -errno;
    int length = snprintf(way->rest, sizeof way->rest, "%s/%s", here, path);
    return length < 0 || (size_t)length >= sizeof way->rest ? -ENAMETOOLONG : start(way);
}

static int open_as_root(const char *path, char *culprit, size_t size)
{
    struct way way = {.at = -1};
    char name[NAME_MAX + 1];
    int result = set_out(&way, path);
    while (result == 0 && next_name(&way, name))
        result = step(&way, name);
    if (result == 0)
        result = open_place(way.at);
    if (result == -EPERM)
        snprintf(culprit, size, "%s", way.reached);
    if (way.at >= 0)
        close(way.at);
    return result;
}

int trusted_open(const char *path, char *culprit, size_t size)
{
    struct stat status;
    snprintf(culprit, size, "%s", path);
    if (geteuid() == 0)
        return open_as_root(path, culprit, size);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}
