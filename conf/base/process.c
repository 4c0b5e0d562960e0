/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "conf/base/io.h"
#include "conf/base/listing.h"

/* Returns 1, or 0 where there is no such process or a zombie. */
static int read_stat(int32_t pid, int32_t *parent, unsigned long long *start)
{
    char path[32], text[512], state;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    /* Not a line: the name, which the user chooses, may hold a newline or a parenthesis. */
    io_read_text(AT_FDCWD, path, text, sizeof text);
    char *rest = strrchr(text, ')');
    /* Fields 3, 4 and 22 of proc(5) stat. */
    return rest != NULL &&
           sscanf(rest + 1,
                  " %c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d"
                  " %*d %llu",
                  &state, parent, start) == 3 &&
           state != 'Z' && state != 'X';
}

int process_start(int32_t pid, uint64_t *ticks)
{
    int32_t parent;
    unsigned long long start;
    if (!read_stat(pid, &parent, &start))
        return 0;
    *ticks = start;
    return 1;
}

int32_t process_parent(int32_t pid)
{
    int32_t parent;
    unsigned long long start;
    return read_stat(pid, &parent, &start) ? parent : 0;
}

int process_alive(int32_t pid, uint64_t ticks)
{
    uint64_t start;
    return process_start(pid, &start) && start == ticks;
}

/* The pid in the innermost of its pid namespaces; 0: unknown. */
static int32_t innermost_pid(int32_t pid)
{
    char path[32], line[512];
    int32_t inside = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "NSpid:", 6) == 0)
            inside = (int32_t)strtol(strrchr(line, '\t') + 1, NULL, 10);
    if (file != NULL)
        fclose(file);
    return inside;
}

static int is_of(int proc, const char *name, uid_t uid)
{
    struct stat status;
    return name[0] >= '1' && name[0] <= '9' && fstatat(proc, name, &status, 0) == 0 &&
           status.st_uid == uid;
}

int process_alive_inside(int32_t pid, uint64_t ticks, uid_t uid)
{
    int found = 0;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(AT_FDCWD, "/proc", &listing);
    for (const char *name; !found && (name = listing_next(listing)) != NULL;) {
        if (!is_of(dirfd(listing), name, uid))
            continue;
        int32_t one = (int32_t)strtol(name, NULL, 10);
        found = process_alive(one, ticks) && innermost_pid(one) == pid;
    }
    return found;
}

int process_reap(pid_t pid, int patience_ms, int *status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int waited_ms = 0; waited_ms < patience_ms; waited_ms++) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid)
            return 1;
        if (got < 0 && errno != EINTR)
            return 0;
        nanosleep(&pause, NULL);
    }
    return 0;
}
