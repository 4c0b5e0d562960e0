/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/listing.h"
#include "conf/base/process_stat.h"

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
