/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which job of Slurm a process is in, by its cgroups. Users can make directories of any name below
 * one that is delegated to them, as systemd does for each login: so a job's directory counts where
 * it is root's alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- The job of this process ----------------------------------------------------------------- */

/* Whether this process is in a job of Slurm of which a step on this node, whose spool directory is
 * `spool`, had --jobtrail=no. Both the job in the process's cgroup and SLURM_JOB_ID are tried.
 * Needs no right to list `spool`. */
bool slurm_job_opted_out(const char *spool);

/* The job in a text of the form of /proc/PID/cgroup, or 0. Its directory is .../slurm.../job_N/...
 * (cgroup v1; cgroup v2 of Slurm before 26.05, or with CgroupJobIdPaths=yes), or
 * .../slurm.../SLUID/... of which `spool` has a link (spank/job_sluid.h). */
uint32_t slurm_job_of_cgroup(const char *spool, const char *text);

#define JOB_CGROUPS_NONE UINT32_MAX

struct job_cgroups {
    const char *spool; /* for job_cgroups.h */
    const char *mount; /* where cgroups are mounted; NULL: /sys/fs/cgroup */
    uid_t owner;       /* whose a job's directory is */
};

/* `text` has the form of /proc/PID/cgroup. Sets the job, and the step, if it has a number; else
 * JOB_CGROUPS_NONE. */
void job_cgroups_find(const struct job_cgroups *cgroups, const char *text, uint32_t *job,
                      uint32_t *step);

/* The same of the file `path` below the descriptor `at`; nothing where it cannot be read. */
void job_cgroups_read(const struct job_cgroups *cgroups, int at, const char *path, uint32_t *job,
                      uint32_t *step);

/* ---- Daemons of steps ------------------------------------------------------------------------ */

/* The daemons of steps on this node, without a journal that tells of them. slurmstepd calls itself
 * "slurmstepd: [JOB.STEP]" (seen in 22.05, 24.11 and 26.05). */

/* Whether the process `pid` is a slurmstepd of root's. */
bool step_daemon_is(int32_t pid);

/* Whether a slurmstepd of root's may be one of the job: it has the job's number, or it has none, as
 * at its start. A zombie is none. That of another cluster's job of this number counts, too. Looks
 * at every process; true also where these cannot be listed. */
bool step_daemon_may_live(uint32_t job);
