/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_watch_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "conf/base/cleanup.h"
#include "conf/lock_line.h"

enum { LINE_SIZE = 512 };

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
