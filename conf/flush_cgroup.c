/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/flush_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "jobtrail"

/* Files that are there where the controller is. */
static const struct {
    enum flush_cgroup_limit limit;
    const char *file, *value;
} limits[] = {
    {FLUSH_CGROUP_CPU, "cpu.max", "100000 100000"},
    {FLUSH_CGROUP_CPU, "cpu.cfs_quota_us", "100000"},
    {FLUSH_CGROUP_MEMORY, "memory.max", "4294967296"},
    {FLUSH_CGROUP_MEMORY, "memory.limit_in_bytes", "4294967296"},
};

/* Returns whether that could be written. */
static int write_file(int group, const char *file, const char *value)
{
    int fd = openat(group, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    int written = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
    if (fd >= 0)
        close(fd);
    return written;
}

static int set_limits(int group)
{
    int set = 0;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (write_file(group, limits[i].file, limits[i].value))
            set |= (int)limits[i].limit;
    return set;
}

/* In the hierarchy mounted at `mount`. A group that limits nothing is not worth leaving one's own.
 */
static int make_in(const char *mount, int enter)
{
    char path[PATH_MAX], pid[16];
    int length = snprintf(path, sizeof path, "%s/" GROUP, mount);
    if (length < 0 || (size_t)length >= sizeof path)
        return 0;
    int made = mkdir(path, 0755) == 0;
    int group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int set = group < 0 ? 0 : set_limits(group);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (set != 0 && enter && !write_file(group, "cgroup.procs", pid))
        set = 0;
    if (group >= 0)
        close(group);
    if (set == 0 && made)
        rmdir(path);
    return set;
}

/* The mount point of a line of /proc/self/mountinfo (proc(5)) that is a hierarchy of cgroups. */
static int is_hierarchy(const char *line, char mount[PATH_MAX])
{
    const char *rest = strstr(line, " - ");
    return rest != NULL &&
           (strncmp(rest, " - cgroup ", 10) == 0 || strncmp(rest, " - cgroup2 ", 11) == 0) &&
           sscanf(line, "%*u %*u %*s %*s %4095s", mount) == 1;
}

static int make_all(int enter)
{
    char mount[PATH_MAX], *line = NULL;
    size_t room = 0;
    int set = 0;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mounts != NULL && getline(&line, &room, mounts) > 0)
        if (is_hierarchy(line, mount))
            set |= make_in(mount, enter);
    free(line);
    if (mounts != NULL)
        fclose(mounts);
    return set;
}

int flush_cgroup_enter(void)
{
    return make_all(1);
}

int flush_cgroup_make(void)
{
    return make_all(0);
}
