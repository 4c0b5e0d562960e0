/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which job of Slurm a process is in, by its cgroups. Users can make directories of any name below
 * one that is delegated to them, as systemd does for each login: so a job's directory counts where
 * it is root's alone.
 */
#ifndef JOBTRAIL_JOB_CGROUPS_H
#define JOBTRAIL_JOB_CGROUPS_H

#include <stdint.h>
#include <sys/types.h>

#define JOB_CGROUPS_NONE UINT32_MAX

struct job_cgroups {
    const char *spool; /* for slurm_job.h */
    const char *mount; /* where cgroups are mounted; NULL: /sys/fs/cgroup */
    uid_t owner;       /* whose a job's directory is */
};

/* `text` has the form of /proc/PID/cgroup. Sets the job, and the step, if it has a number; else
 * JOB_CGROUPS_NONE. */
void job_cgroups_find(const struct job_cgroups *cgroups, const char *text, uint32_t *job,
                      uint32_t *step);

/* The same of the file `path` below the descriptor `at`; nothing is found where it cannot be read.
 */
void job_cgroups_read(const struct job_cgroups *cgroups, int at, const char *path, uint32_t *job,
                      uint32_t *step);

#endif
