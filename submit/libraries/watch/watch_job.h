/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which job of Slurm a process is in, by its cgroups. Users can make directories of any name below
 * one that is delegated to them, as systemd does for each login: so a job's directory counts where
 * it is root's alone.
 */
#ifndef JOBTRAIL_WATCH_JOB_H
#define JOBTRAIL_WATCH_JOB_H

#include <stdint.h>
#include <sys/types.h>

struct watch_cgroups {
    const char *spool; /* for slurm_job.h */
    const char *mount; /* where cgroups are mounted; NULL: /sys/fs/cgroup */
    uid_t owner;       /* whose a job's directory is */
};

/* `text` has the form of /proc/PID/cgroup. Sets the job, and the step, if it has a number; else
 * LIBRARY_NO_JOB. */
void watch_job_find(const struct watch_cgroups *cgroups, const char *text, uint32_t *job,
                    uint32_t *step);

#endif
