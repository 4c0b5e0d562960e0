/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_last_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "conf/base/cleanup.h"
#include "conf/lock_line.h"

enum { LINE_SIZE = 160 };

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
