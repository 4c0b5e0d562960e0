/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/flush_cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"

#define GROUP "jobtrail"

/* A hierarchy has the files of its controllers alone: those of cgroups 2 or 1. */
static const struct {
    enum flush_cgroup_limit limit;
    const char *file, *value;
} limits[] = {
    {FLUSH_CGROUP_CPU, "cpu.max", "100000 100000"},
    {FLUSH_CGROUP_CPU, "cpu.cfs_quota_us", "100000"},
    {FLUSH_CGROUP_MEMORY, "memory.max", "4294967296"},
    {FLUSH_CGROUP_MEMORY, "memory.limit_in_bytes", "4294967296"},
};

/* Returns whether it could be written. */
static bool write_file(int group, const char *file, const char *value)
{
    CLEANUP_CLOSE int fd = openat(group, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    return fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
}

/* Moves this process, which has one thread, to the group. Where "0" is written to the `tasks` of
 * version 1, no process of the node has to wait; elsewhere the kernel holds each fork(2) and exit
 * for some 10 ms. */
static bool enter_group(int group)
{
    return write_file(group, "tasks", "0") || write_file(group, "cgroup.procs", "0");
}

/* Makes the group in the hierarchy mounted at `mount`, and moves this process into it if it is to
 * `enter` and any limit holds there. Returns the limits that hold; 0: none, and no new group. */
static int make_group(const char *mount, bool enter)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/" GROUP, mount), set = 0;
    if (length < 0 || (size_t)length >= sizeof path)
        return 0;
    bool is_new = mkdir(path, 0755) == 0;
    CLEANUP_CLOSE int group = directory_open(AT_FDCWD, path);
    for (size_t i = 0; group >= 0 && i < sizeof limits / sizeof limits[0]; i++)
        if (write_file(group, limits[i].file, limits[i].value))
            set |= (int)limits[i].limit;
    if (set != 0 && enter && !enter_group(group))
        set = 0;
    if (set == 0 && is_new)
        rmdir(path);
    return set;
}

/* Whether a line of /proc/self/mountinfo (proc(5)) is of a hierarchy of cgroups that may limit
 * anything here: those of version 1 name their controllers at the end of the line. To make a group
 * and remove it costs the kernel more than all else. `mount` is where it is mounted. */
static bool is_hierarchy(const char *line, char mount[PATH_MAX])
{
    const char *rest = strstr(line, " - ");
    char options[256];
    if (rest == NULL || sscanf(line, "%*u %*u %*s %*s %4095s", mount) != 1)
        return false;
    if (strncmp(rest, " - cgroup2 ", 11) == 0)
        return true;
    if (sscanf(rest, " - cgroup %*s %255s", options) != 1)
        return false;
    bool is_limiting = false;
    char *at;
    for (char *word = strtok_r(options, ",", &at); word != NULL; word = strtok_r(NULL, ",", &at))
        is_limiting |= strcmp(word, "cpu") == 0 || strcmp(word, "memory") == 0;
    return is_limiting;
}

int flush_cgroup_make(bool enter)
{
    char mount[PATH_MAX];
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    int set = 0;
    CLEANUP_FCLOSE FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mounts != NULL && getline(&line, &room, mounts) > 0)
        if (is_hierarchy(line, mount))
            set |= make_group(mount, enter);
    return set;
}
