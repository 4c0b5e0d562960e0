/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/policy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/trusted.h"
#include "conf/compile.h"
#include "conf/policy/policy_open.h"
#include "conf/policy/policy_read.h"

/* Makes a file under a name that nobody can have guessed. */
static int open_temporary(int place, const char *name, char *temporary, size_t size)
{
    unsigned number;
    int fd = -1;
    do {
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return -EIO;
        if ((size_t)snprintf(temporary, size, "%s.%08x", name, number) >= size)
            return -ENAMETOOLONG;
        fd = openat(place, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    } while (fd < 0 && errno == EEXIST);
    return fd < 0 ? -errno : fd;
}

/* Whether the open file `fd` still has that name: others who can write to the directory may have
 * put another file in its place. */
static bool has_name(int fd, int place, const char *name)
{
    struct stat ours, found;
    return fstat(fd, &ours) == 0 && fstatat(place, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == found.st_dev && ours.st_ino == found.st_ino;
}

int policy_file_write(const char *path, const void *bytes, size_t size)
{
    char temporary[NAME_MAX + 1], culprit[PATH_MAX];
    const char *name;
    CLEANUP_CLOSE int place =
        trusted_parent(path, &name, TRUSTED_ANYBODYS, culprit, sizeof culprit);
    if (place < 0)
        return place;
    CLEANUP_CLOSE int fd = open_temporary(place, name, temporary, sizeof temporary);
    if (fd < 0)
        return fd;
    int error = io_write_all(fd, bytes, size);
    if (error == 0 &&
        (fchmod(fd, 0644) != 0 || fsync(fd) != 0 || renameat(place, temporary, place, name) != 0))
        error = -errno;
    if (error == 0 && !has_name(fd, place, name))
        error = -EPERM;
    if (error == 0 && fsync(place) != 0)
        error = -errno;
    if (error != 0 && has_name(fd, place, temporary))
        unlinkat(place, temporary, 0);
    return error;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* `is_strict`: a policy as old as the configuration is not taken for newer. */
static bool is_current(const char *path, const char *conf, bool is_strict)
{
    struct stat compiled, source;
    CLEANUP_FREE void *policy = NULL;
    if (stat(conf, &source) != 0 || policy_open(path, &compiled, &policy) != 0)
        return false;
    const char *compiled_from = policy_string(policy, POLICY_CONF);
    const struct timespec *changed =
        is_later(&source.st_mtim, &source.st_ctim) ? &source.st_mtim : &source.st_ctim;
    return (is_strict ? is_later(&compiled.st_mtim, changed)
                      : !is_later(changed, &compiled.st_mtim)) &&
           compiled_from != NULL && strcmp(compiled_from, conf) == 0;
}

bool policy_file_is_current(const char *path, const char *conf)
{
    return is_current(path, conf, true);
}

bool policy_file_is_in_force(const char *path, const char *conf)
{
    return is_current(path, conf, false);
}

static bool open_compiled(const struct conf *conf, void **policy)
{
    char path[PATH_MAX];
    struct stat status;
    return policy_path(conf->path, path, sizeof path) && policy_open(path, &status, policy) == 0;
}

int policy_load(const struct conf *conf, void **policy)
{
    struct conf_error why;
    size_t size;
    return open_compiled(conf, policy) ? 0 : compile_policy(conf, policy, &size, &why);
}

int policy_load_redaction(const struct conf *conf, void **policy)
{
    struct conf_error why;
    size_t size;
    return open_compiled(conf, policy) ? 0 : compile_redaction(conf, policy, &size, &why);
}
