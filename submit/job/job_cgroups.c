/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/job_cgroups.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/io.h"
#include "spank/job_sluid.h"
#include "submit/job/slurm_job.h"

enum { CGROUP_TEXT = 8192 };

/* .../job_N/step_M/...; "batch", "extern" and others are no numbers. */
static uint32_t step_of(const char *text)
{
    const char *step = strstr(text, "/step_");
    unsigned number;
    return step != NULL && sscanf(step, "/step_%9u", &number) == 1 ? number : JOB_CGROUPS_NONE;
}

/* Whether the directory of `size` bytes of this path is the owner's, in the hierarchy that is
 * mounted there. */
static bool is_owners(const struct job_cgroups *cgroups, const char *hierarchy, int length,
                      const char *path, int size)
{
    char place[PATH_MAX];
    struct stat status;
    const char *mount = cgroups->mount == NULL ? "/sys/fs/cgroup" : cgroups->mount;
    int written =
        snprintf(place, sizeof place, "%s/%.*s%.*s", mount, length, hierarchy, size, path);
    return written > 0 && written < (int)sizeof place && lstat(place, &status) == 0 &&
           S_ISDIR(status.st_mode) && status.st_uid == cgroups->owner;
}

/* A line is NUMBER:CONTROLLERS:PATH (cgroups(7)); version 2 has no controllers. */
static bool is_true(const struct job_cgroups *cgroups, const char *line, const char *job)
{
    const char *hierarchy = line + strcspn(line, ":");
    hierarchy += *hierarchy == ':';
    int length = (int)strcspn(hierarchy, ":");
    const char *path = hierarchy + length;
    if (*path != ':' || path >= job || strstr(path, "/../") != NULL)
        return false;
    path++;
    int size = (int)(job - path + (ptrdiff_t)strcspn(job, "/"));
    if (length == 0)
        return is_owners(cgroups, "", 0, path, size) ||
               is_owners(cgroups, "unified", (int)strlen("unified"), path, size);
    if (strncmp(hierarchy, "name=", strlen("name=")) == 0) {
        hierarchy += strlen("name=");
        length -= (int)strlen("name=");
    }
    return is_owners(cgroups, hierarchy, length, path, size);
}

void job_cgroups_find(const struct job_cgroups *cgroups, const char *text, uint32_t *job,
                      uint32_t *step)
{
    char line[PATH_MAX];
    *job = *step = JOB_CGROUPS_NONE;
    for (size_t size; *text != '\0'; text += size) {
        size = strcspn(text, "\n");
        bool is_whole = size < sizeof line;
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        size += text[size] == '\n';
        const char *name = is_whole ? job_sluid_in_cgroup(line) : NULL;
        if (name == NULL || !is_true(cgroups, line, name))
            continue;
        uint32_t number = slurm_job_of_cgroup(cgroups->spool, line);
        if (number == 0)
            continue;
        *job = number;
        *step = step_of(name);
        return;
    }
}

void job_cgroups_read(const struct job_cgroups *cgroups, int at, const char *path, uint32_t *job,
                      uint32_t *step)
{
    char text[CGROUP_TEXT];
    io_read_text(at, path, text, sizeof text);
    job_cgroups_find(cgroups, text, job, step);
}
