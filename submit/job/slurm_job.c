/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/slurm_job.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "spank/job_sluid.h"
#include "spank/spool_path.h"

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
