/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

/* ---- A line in a file that is locked --------------------------------------------------------- */

/* Numbers in it have blanks before them, so that its length is fixed: who reads while it is written
 * has the line of before or this one. */

enum { LINE_SIZE = 512 };

static int lock_line_write(int lock, const char *line)
{
    size_t length = strlen(line);
    ssize_t written = pwrite(lock, line, length, 0);
    return written < 0 ? -errno : (size_t)written == length ? 0 : -ENOSPC;
}

/* Reads that of the file `name` in the directory `state` into `line`. Returns the file's
 * descriptor, which the caller closes, or -errno: -ENOENT where there is no line. */
static int lock_line_open(const char *state, const char *name, char *line, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", state, name) >= (int)sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    ssize_t length = pread(fd, line, size - 1, 0);
    int error = length < 0 ? -errno : -ENOENT;
    if (length > 0) {
        line[length] = '\0';
        return fd;
    }
    close(fd);
    return error;
}

/* ---- The last scan --------------------------------------------------------------------------- */

int library_last_scan_write(int lock, const struct library_last_scan *last)
{
    char line[LINE_SIZE];
    snprintf(line, sizeof line,
             "ended=%20" PRId64 " failed=%d away=%20" PRIu64 " unreadable=%20" PRIu64
             " seen=%20" PRId64 " pid=%10" PRId32 "\n",
             last->ended_s, last->is_failed ? 1 : 0, last->trees_away, last->unreadable,
             last->seen_s, last->pid);
    return lock_line_write(lock, line);
}

int library_last_scan_read(const char *state, struct library_last_scan *last)
{
    char line[LINE_SIZE] = "", end = '\0';
    struct library_last_scan found;
    int failed;
    CLEANUP_CLOSE int fd = lock_line_open(state, "lock", line, sizeof line);
    if (fd < 0)
        return fd;
    if (sscanf(line,
               "ended=%" SCNd64 " failed=%d away=%" SCNu64 " unreadable=%" SCNu64 " seen=%" SCNd64
               " pid=%" SCNd32 "%c",
               &found.ended_s, &failed, &found.trees_away, &found.unreadable, &found.seen_s,
               &found.pid, &end) != 7 ||
        end != '\n' || (failed != 0 && failed != 1))
        return -EINVAL;
    found.is_failed = failed == 1;
    *last = found;
    return 0;
}

/* ---- The state of the watch ------------------------------------------------------------------ */

int library_watch_state_write(int lock, const struct library_watch_state *watch)
{
    char line[LINE_SIZE];
    snprintf(line, sizeof line,
             "directories=%20" PRIu64 " unwatched=%20" PRIu64 " error=%10" PRId32
             " events=%20" PRIu64 " unknown=%20" PRIu64 " lost=%20" PRIu64 " overruns=%20" PRIu64
             " uses=%20" PRId64 " scans=%20" PRIu64 "\n",
             watch->directories, watch->unwatched, watch->error, watch->events, watch->unknown,
             watch->lost, watch->overruns, watch->uses_s, watch->scans);
    return lock_line_write(lock, line);
}

int library_watch_state_read(const char *state, struct library_watch_state *watch, bool *is_running)
{
    char line[LINE_SIZE] = "", end = '\0';
    struct library_watch_state found;
    CLEANUP_CLOSE int fd = lock_line_open(state, LIBRARY_WATCH_LOCK, line, sizeof line);
    if (fd < 0)
        return fd;
    if (sscanf(line,
               "directories=%" SCNu64 " unwatched=%" SCNu64 " error=%" SCNd32 " events=%" SCNu64
               " unknown=%" SCNu64 " lost=%" SCNu64 " overruns=%" SCNu64 " uses=%" SCNd64
               " scans=%" SCNu64 "%c",
               &found.directories, &found.unwatched, &found.error, &found.events, &found.unknown,
               &found.lost, &found.overruns, &found.uses_s, &found.scans, &end) != 10 ||
        end != '\n')
        return -EINVAL;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    *watch = found;
    *is_running = fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    return 0;
}
