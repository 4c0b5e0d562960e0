/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "conf/base/directory.h"

enum { KEEP_MAX = 16 };

#ifdef __SANITIZE_ADDRESS__ /* it reports to 2 */
enum { LAST_TO_NULL = STDOUT_FILENO };
#else
enum { LAST_TO_NULL = STDERR_FILENO };
#endif

static int by_number(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static bool is_kept(const int *keep, size_t count, int fd)
{
    for (size_t i = 0; i < count; i++)
        if (keep[i] == fd)
            return true;
    return false;
}

static int replace_standard_by_null(const int *keep, size_t count)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return -errno;
    int error = 0;
    for (int fd = STDIN_FILENO; fd <= LAST_TO_NULL; fd++)
        if (fd != null && !is_kept(keep, count, fd) && dup2(null, fd) < 0)
            error = -errno;
    if (null > STDERR_FILENO)
        close(null);
    return error;
}

/* Closes all others; `keep` is sorted. Returns 0 or -errno. */
static int close_ranges(const int *keep, size_t count)
{
    unsigned from = STDERR_FILENO + 1;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && keep[i] < (int)from)
            continue;
        unsigned end = i < count ? (unsigned)keep[i] : UINT_MAX;
        if (end > from && close_range(from, i < count ? end - 1 : UINT_MAX, 0) != 0)
            return -errno;
        from = end + 1;
    }
    return 0;
}

static int close_listed(const int *keep, size_t count)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(AT_FDCWD, "/proc/self/fd", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        int fd = atoi(name);
        if (fd > STDERR_FILENO && fd != dirfd(listing) && !is_kept(keep, count, fd))
            close(fd);
    }
    return error;
}

int descriptors_keep(const int *keep, size_t count)
{
    int sorted[KEEP_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (keep[i] < 0)
            continue;
        if (kept == KEEP_MAX)
            return -ENOSPC;
        sorted[kept++] = keep[i];
    }
    qsort(sorted, kept, sizeof *sorted, by_number);
    int error = close_ranges(sorted, kept);
    if (error == -ENOSYS || error == -EPERM)
        error = close_listed(sorted, kept);
    return error != 0 ? error : replace_standard_by_null(sorted, kept);
}

int signal_fd(const int *more, size_t count)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    for (size_t i = 0; i < count; i++)
        sigaddset(&set, more[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}
