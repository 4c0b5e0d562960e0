/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/process_stopped.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/io.h"
#include "conf/base/process_stat.h"

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
