/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"

/* ---- Processes ------------------------------------------------------------------------------- */

static bool read_running(int32_t pid, struct process_stat *stat)
{
    return process_stat_read(pid, stat) == 0 && !process_stat_is_over(stat);
}

bool process_start(int32_t pid, uint64_t *ticks)
{
    struct process_stat stat;
    if (!read_running(pid, &stat))
        return false;
    *ticks = stat.start_ticks;
    return true;
}

int32_t process_parent(int32_t pid)
{
    struct process_stat stat;
    return read_running(pid, &stat) ? stat.parent : 0;
}

bool process_alive(int32_t pid, uint64_t ticks)
{
    uint64_t start;
    return process_start(pid, &start) && start == ticks;
}

int32_t process_innermost(int32_t pid)
{
    char path[32], line[512];
    int32_t inside = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "NSpid:", 6) == 0)
            inside = (int32_t)strtol(strrchr(line, '\t') + 1, NULL, 10);
    return inside;
}

static bool is_process_of(int proc, const char *name, uid_t uid)
{
    struct stat status;
    return name[0] >= '1' && name[0] <= '9' && fstatat(proc, name, &status, 0) == 0 &&
           status.st_uid == uid;
}

bool process_alive_inside(int32_t pid, uint64_t ticks, uid_t uid)
{
    bool found = false;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(AT_FDCWD, "/proc", &listing);
    for (const char *name; !found && (name = listing_next(listing)) != NULL;) {
        if (!is_process_of(dirfd(listing), name, uid))
            continue;
        int32_t one = (int32_t)strtol(name, NULL, 10);
        found = process_alive(one, ticks) && process_innermost(one) == pid;
    }
    return found;
}

bool process_reap(pid_t pid, int patience_ms, int *status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int waited_ms = 0; waited_ms < patience_ms; waited_ms++) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* ---- What /proc tells ------------------------------------------------------------------------ */

int process_stat_read(int32_t pid, struct process_stat *stat)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%" PRId32 "/stat", pid);
    /* Not a line: the name, which the user chooses, may hold a newline or a parenthesis. */
    ssize_t got = io_read_text(AT_FDCWD, path, text, sizeof text);
    if (got < 0)
        return got == -ENOENT ? -ESRCH : (int)got;
    const char *name_end = strrchr(text, ')');
    /* Fields 3, 4, 20 and 22. */
    return name_end != NULL &&
                   sscanf(name_end + 1,
                          " %c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d"
                          " %*d %" SCNd32 " %*d %" SCNu64,
                          &stat->state, &stat->parent, &stat->threads, &stat->start_ticks) == 4
               ? 0
               : -EINVAL;
}

bool process_stat_is_over(const struct process_stat *stat)
{
    return stat->state == 'X' || (stat->state == 'Z' && stat->threads <= 1);
}

/* ---- Stopped processes ----------------------------------------------------------------------- */

/* Whether the file of a cgroup below /sys/fs/cgroup has this line. */
static bool cgroup_has_line(const char *hierarchy, const char *cgroup, const char *name,
                            const char *line)
{
    char path[PATH_MAX], text[256], *rest;
    int length = snprintf(path, sizeof path, "/sys/fs/cgroup/%s%s/%s", hierarchy, cgroup, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    io_read_text(AT_FDCWD, path, text, sizeof text);
    for (char *one = strtok_r(text, "\n", &rest); one != NULL; one = strtok_r(NULL, "\n", &rest))
        if (strcmp(one, line) == 0)
            return true;
    return false;
}

/* The version 2 lies in a directory of its own beside the controllers of version 1. Both files tell
 * of a parent that is frozen, too. */
bool process_is_frozen(int32_t pid)
{
    static const char freezer[] = ":freezer:", second[] = "0::";
    char path[32], text[4096], *rest;
    snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
    io_read_text(AT_FDCWD, path, text, sizeof text);
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *first = strstr(line, freezer);
        if (first != NULL &&
            cgroup_has_line("freezer", first + sizeof freezer - 1, "freezer.state", "FROZEN"))
            return true;
        const char *cgroup = line + sizeof second - 1;
        if (strncmp(line, second, sizeof second - 1) == 0 &&
            (cgroup_has_line(".", cgroup, "cgroup.events", "frozen 1") ||
             cgroup_has_line("unified", cgroup, "cgroup.events", "frozen 1")))
            return true;
    }
    return false;
}

bool process_is_stopped(int32_t pid)
{
    struct process_stat stat;
    if (process_stat_read(pid, &stat) != 0 || process_stat_is_over(&stat))
        return false;
    return stat.state == 'T' || process_is_frozen(pid);
}
