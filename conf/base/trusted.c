/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"

enum { LINKS_MAX = 40 /* as the kernel's */, OVERFLOW_UID = 65534 };

/* A path being walked, one name after the other. */
struct path_walk {
    int at;                 /* the directory that was reached */
    char rest[PATH_MAX];    /* the names that are left */
    char reached[PATH_MAX]; /* the path of `at`, for messages */
    int links;
};

/* A caller that is not root asks what root would do. The caller's own files count as root's: only
 * the caller can change them. */
static bool is_roots(uid_t owner)
{
    return owner == 0 || owner == geteuid() ||
           (owner == OVERFLOW_UID && caller_in_user_namespace());
}

/* An access list shows in the bits of the group, so that these count whatever group it is. The mode
 * of a link means nothing. */
static bool is_safe(int fd, enum trusted_others others)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    bool others_write = !S_ISLNK(status.st_mode) && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return others == TRUSTED_ANYBODYS ||
           (is_roots(status.st_uid) && (!others_write || (is_sticky && others == TRUSTED_STICKY)));
}

/* Goes on to the directory `fd`, and owns it. */
static void way_move(struct path_walk *way, int fd)
{
    if (way->at >= 0)
        close(way->at);
    way->at = fd;
}

static int way_start(struct path_walk *way)
{
    int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    way_move(way, fd);
    strcpy(way->reached, "/");
    return 0;
}

/* The length of the next name; 0: there is none. */
static size_t way_next_length(const struct path_walk *way)
{
    return strcspn(way->rest + strspn(way->rest, "/"), "/");
}

/* Puts the link `fd`'s target before what is left. */
static int way_follow(struct path_walk *way, int fd)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t length = readlinkat(fd, "", target, sizeof target - 1);
    if (length < 0)
        return -errno;
    if (++way->links > LINKS_MAX)
        return -ELOOP;
    target[length] = '\0';
    *strrchr(way->reached, '/') = '\0'; /* the target takes the place of the link's name */
    strcpy(rest, way->rest);
    if ((size_t)snprintf(way->rest, sizeof way->rest, "%s/%s", target, rest) >= sizeof way->rest)
        return -ENAMETOOLONG;
    return target[0] == '/' ? way_start(way) : 0;
}

/* Whether the last name is reached, and is no link; it need not exist. */
static bool way_is_at_end(const struct path_walk *way, int fd, const struct stat *status)
{
    return way_next_length(way) == 0 && (fd < 0 ? errno == ENOENT : !S_ISLNK(status->st_mode));
}

/* Goes on by one name; with `to_parent` not by the last one. Returns 0; 1 when it has not gone on;
 * or -errno. */
static int way_step(struct path_walk *way, bool to_parent)
{
    struct stat status = {0};
    char name[NAME_MAX + 1];
    size_t length = way_next_length(way);
    if (!is_safe(way->at, TRUSTED_STICKY))
        return -EPERM;
    if (length > NAME_MAX)
        return -ENAMETOOLONG;
    /* Takes the next name, of `length` bytes, out of what is left. */
    char *from = way->rest + strspn(way->rest, "/");
    memcpy(name, from, length);
    name[length] = '\0';
    memmove(way->rest, from + length, strlen(from + length) + 1);
    size_t used = strlen(way->reached);
    snprintf(way->reached + used, sizeof way->reached - used, "%s%s",
             used > 0 && way->reached[used - 1] == '/' ? "" : "/", name);
    int fd = openat(way->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int error = fd < 0 || fstat(fd, &status) != 0 ? -errno : 0;
    if (to_parent && way_is_at_end(way, fd, &status)) {
        *strrchr(way->reached, '/') = '\0';
        error = 1;
    } else if (error == 0 && S_ISLNK(status.st_mode)) {
        error = is_safe(fd, TRUSTED_STICKY) ? way_follow(way, fd) : -EPERM;
    } else if (error == 0) {
        way_move(way, fd);
        return 0;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

/* Starts at /, also with a relative path. */
static int way_set_out(struct path_walk *way, const char *path)
{
    char here[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        return -errno;
    int length = snprintf(way->rest, sizeof way->rest, "%s/%s", here, path);
    return length < 0 || (size_t)length >= sizeof way->rest ? -ENAMETOOLONG : way_start(way);
}

/* Walks to what `path` names; with `to_parent`, to the directory in which that is or would be made.
 * Returns an O_PATH descriptor or -errno. */
static int way_go(const char *path, enum trusted_others others, bool to_parent, char *culprit,
                  size_t size)
{
    struct path_walk way = {.at = -1};
    int error = way_set_out(&way, path);
    while (error == 0 && way_next_length(&way) > 0)
        error = way_step(&way, to_parent);
    if (error >= 0)
        error = is_safe(way.at, others) ? way.at : -EPERM;
    if (error == -EPERM)
        snprintf(culprit, size, "%s", way.reached[0] == '\0' ? "/" : way.reached);
    if (error < 0 && way.at >= 0)
        close(way.at);
    return error;
}

static int open_as_root(const char *path, char *culprit, size_t size)
{
    CLEANUP_CLOSE int place = way_go(path, TRUSTED_STICKY, false, culprit, size);
    return place < 0 ? place : io_reopen_regular(place);
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

int trusted_check(const char *path, char *culprit, size_t size)
{
    CLEANUP_CLOSE int place = way_go(path, TRUSTED_STICKY, false, culprit, size);
    return place < 0 ? place : 0;
}

int trusted_directory(const char *path, enum trusted_others others, char *culprit, size_t size)
{
    snprintf(culprit, size, "%s", path);
    if (geteuid() != 0) {
        int own = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return own < 0 ? -errno : own;
    }
    CLEANUP_CLOSE int place = way_go(path, others, false, culprit, size);
    if (place < 0)
        return place;
    int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int trusted_parent(const char *path, const char **name, enum trusted_others others, char *culprit,
                   size_t size)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    *name = slash == NULL ? path : slash + 1;
    int length = slash == path ? 1 : slash == NULL ? 0 : (int)(slash - path);
    if ((size_t)length >= sizeof parent)
        return -ENAMETOOLONG;
    snprintf(parent, sizeof parent, "%.*s", length, path);
    return trusted_directory(slash == NULL ? "." : parent, others, culprit, size);
}

int trusted_beside(const char *path, char *culprit, size_t size)
{
    snprintf(culprit, size, "%s", path);
    if (geteuid() != 0)
        return 0;
    CLEANUP_CLOSE int place = way_go(path, TRUSTED_ALONE, true, culprit, size);
    return place < 0 ? place : 0;
}

int trusted_directory_make(const char *path, mode_t mode, char *culprit, size_t size)
{
    culprit[0] = '\0';
    int error = directory_make_all(path, mode);
    return error != 0 ? error : trusted_directory(path, TRUSTED_ALONE, culprit, size);
}
