/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/library_last_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

enum { LINE_SIZE = 160 };

/* One write of a fixed length: who reads meanwhile has the line of before or this one. */
int library_last_scan_write(int lock, const struct library_last_scan *last)
{
    char line[LINE_SIZE];
    int length = snprintf(line, sizeof line,
                          "ended=%20" PRId64 " failed=%d away=%20" PRIu64 " unreadable=%20" PRIu64
                          " seen=%20" PRId64 "\n",
                          last->ended_s, last->is_failed ? 1 : 0, last->trees_away,
                          last->unreadable, last->seen_s);
    ssize_t written = pwrite(lock, line, (size_t)length, 0);
    return written < 0 ? -errno : written == length ? 0 : -ENOSPC;
}

int library_last_scan_read(const char *state, struct library_last_scan *last)
{
    char path[PATH_MAX], line[LINE_SIZE] = "", end = '\0';
    struct library_last_scan found;
    int failed;
    if (snprintf(path, sizeof path, "%s/lock", state) >= (int)sizeof path)
        return -ENAMETOOLONG;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    ssize_t size = pread(fd, line, sizeof line - 1, 0);
    if (size <= 0)
        return size < 0 ? -errno : -ENOENT;
    if (sscanf(line,
               "ended=%" SCNd64 " failed=%d away=%" SCNu64 " unreadable=%" SCNu64 " seen=%" SCNd64
               "%c",
               &found.ended_s, &failed, &found.trees_away, &found.unreadable, &found.seen_s,
               &end) != 6 ||
        end != '\n' || (failed != 0 && failed != 1))
        return -EINVAL;
    found.is_failed = failed == 1;
    *last = found;
    return 0;
}
