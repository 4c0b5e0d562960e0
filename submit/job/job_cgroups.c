/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/job_cgroups.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "spank/job_sluid.h"
#include "spank/spool_path.h"

/* ---- The job of this process ----------------------------------------------------------------- */

/* Requeues of a job that are looked for. */
enum { RESTARTS_MAX = 256, CGROUP_TEXT = 8192 };

static uint32_t job_number(const char *text, const char *ends)
{
    char *end;
    unsigned long job = text[0] < '1' || text[0] > '9' ? 0 : strtoul(text, &end, 10);
    return job == 0 || job > UINT32_MAX || strchr(ends, *end) == NULL ? 0 : (uint32_t)job;
}

/* Nobody but root can have made the link. */
static uint32_t job_of_sluid(const char *spool, const char *sluid)
{
    char path[PATH_MAX], name[NAME_MAX];
    int length = snprintf(path, sizeof path, "%s/%.*s", spool, JOB_SLUID_SIZE - 1, sluid);
    if (length < 0 || length >= PATH_MAX)
        return 0;
    ssize_t got = readlink(path, name, sizeof name - 1);
    name[got < 0 ? 0 : got] = '\0';
    return job_number(name, ".");
}

uint32_t slurm_job_of_cgroup(const char *spool, const char *text)
{
    const char *name = job_sluid_in_cgroup(text);
    if (name == NULL)
        return 0;
    return job_sluid_is(name, '/') ? job_of_sluid(spool, name)
                                   : job_number(name + strlen("job_"), "/");
}

static bool is_opted_out(const char *spool, uint32_t job)
{
    char path[PATH_MAX];
    for (unsigned restart = 0; job != 0 && restart < RESTARTS_MAX; restart++) {
        int length = snprintf(path, sizeof path, "%s/%u.%u/" SPOOL_OPTED_OUT, spool, job, restart);
        if (length > 0 && length < PATH_MAX && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

bool slurm_job_opted_out(const char *spool)
{
    char text[CGROUP_TEXT];
    const char *job = getenv("SLURM_JOB_ID");
    io_read_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text);
    return is_opted_out(spool, slurm_job_of_cgroup(spool, text)) ||
           (job != NULL && is_opted_out(spool, job_number(job, "")));
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
        /* .../job_N/step_M/...; "batch", "extern" and others are no numbers. */
        const char *in_step = strstr(name, "/step_");
        bool is_step = in_step != NULL && sscanf(in_step, "/step_%9u", &number) == 1;
        *step = is_step ? number : JOB_CGROUPS_NONE;
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

/* ---- Daemons of steps ------------------------------------------------------------------------ */

#define DAEMON "slurmstepd"

/* Debian calls the file slurmstepd-wlm. A user can give their process any name. Where its program
 * is set-user-id, its real uid is still the user's. The daemon acts as the user for moments
 * (as_root.h); its real uid is still root's. */
bool step_daemon_is(int32_t pid)
{
    static const char name[] = "Name:\t" DAEMON, uids[] = "\nUid:\t0\t";
    char path[48], text[1024];
    uint64_t ticks;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return io_read_text(AT_FDCWD, path, text, sizeof text) > 0 &&
           strncmp(text, name, strlen(name)) == 0 && strstr(text, uids) != NULL &&
           process_start(pid, &ticks);
}

/* From 23.11 on a process "slurmstepd infinity" keeps a cgroup for all jobs, and from 25.11 on
 * "slurmstepd: [JOB:namespace]" the namespaces of one. */
static bool may_be_of(int proc, const char *pid, uint32_t job)
{
    char path[NAME_MAX + 16], words[128] = "", *end;
    snprintf(path, sizeof path, "%s/cmdline", pid);
    ssize_t length = io_read_text(proc, path, words, sizeof words);
    size_t first = strlen(words);
    if (length > (ssize_t)first + 1 && strcmp(words + first + 1, "infinity") == 0)
        return false;
    const char *number =
        strncmp(words, DAEMON ": [", strlen(DAEMON ": [")) == 0 ? words + strlen(DAEMON ": [") : "";
    unsigned long found = isdigit((unsigned char)number[0]) ? strtoul(number, &end, 10) : 0;
    return found == 0 || (*end != '.' && *end != ':') || found == job;
}

bool step_daemon_may_live(uint32_t job)
{
    CLEANUP_LISTING DIR *proc = NULL;
    if (listing_open(AT_FDCWD, "/proc", &proc) != 0)
        return true;
    for (const char *pid; (pid = listing_next(proc)) != NULL;)
        if (isdigit((unsigned char)pid[0]) && step_daemon_is(atoi(pid)) &&
            may_be_of(dirfd(proc), pid, job))
            return true;
    return false;
}
