/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's SLUID, and the link by which users find the job that has it.
 *
 * From Slurm 26.05 on, the directory of a job in cgroup v2 is named by its SLUID and not by its
 * number, unless cgroup.conf has CgroupJobIdPaths=yes (src/plugins/cgroup/v2/cgroup_v2.c). A job
 * gets another SLUID when it is requeued or resized (src/common/job_record.c,
 * job_record_set_sluid()). For each that root has seen there is a symbolic link beside the jobs'
 * directories: its name is the SLUID, its text the name of the job's directory.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "s" and 13 digits of Crockford's Base32 (Slurm's src/common/sluid.h), and a NUL. */
enum { JOB_SLUID_SIZE = 15 };

/* Whether `text` begins with a SLUID, and `end` follows it. */
static inline bool job_sluid_is(const char *text, char end)
{
    return text[0] == 's' &&
           strspn(text + 1, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == JOB_SLUID_SIZE - 2 &&
           text[JOB_SLUID_SIZE - 1] == end;
}

/* Finds the directory of a job of Slurm's in a text of the form of /proc/PID/cgroup: the first that
 * is named job_N or by a SLUID, below one that has "slurm" in its name. Returns where its name
 * begins, which a slash follows, or NULL. */
static inline const char *job_sluid_in_cgroup(const char *text)
{
    const char *at = strstr(text, "slurm");
    while (at != NULL) {
        at += strcspn(at, "/\n");
        if (strncmp(at, "/job_", strlen("/job_")) == 0 || (*at == '/' && job_sluid_is(at + 1, '/')))
            return at + 1;
        at = *at == '/' ? at + 1 : strstr(at, "slurm");
    }
    return NULL;
}

/* Makes the link in the node's directory, of which `job` is a directory that is named `name`.
 * `sluid`, which ends with a NUL or a slash, may be NULL or something else than a SLUID: then there
 * is none. Failures are ignored, since the link may be there. */
static inline void job_sluid_note(int job, const char *name, const char *sluid)
{
    char path[sizeof "../" + JOB_SLUID_SIZE];
    if (sluid == NULL || (!job_sluid_is(sluid, '\0') && !job_sluid_is(sluid, '/')))
        return;
    snprintf(path, sizeof path, "../%.*s", JOB_SLUID_SIZE - 1, sluid);
    (void)!symlinkat(name, job, path);
}
