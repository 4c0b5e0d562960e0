/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SLURM_JOB_H
#define JOBTRAIL_SLURM_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this process is in a job of Slurm of which a step on this node, whose spool directory is
 * `spool`, had --jobtrail=no. Both the job in the process's cgroup and SLURM_JOB_ID are tried.
 * Needs no right to list `spool`. */
bool slurm_job_opted_out(const char *spool);

/* The job in a text of the form of /proc/PID/cgroup, or 0. Its directory is .../slurm.../job_N/...
 * (cgroup v1; cgroup v2 of Slurm before 26.05, or with CgroupJobIdPaths=yes), or
 * .../slurm.../SLUID/... of which `spool` has a link (spank/job_sluid.h). */
uint32_t slurm_job_of_cgroup(const char *spool, const char *text);

#endif
