/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SLURM_JOB_H
#define JOBTRAIL_SLURM_JOB_H

#include <stdint.h>

/* Whether this process is in a job of Slurm's of which a step on this node, whose spool directory
 * is `spool`, had --jobtrail=no. The job is what the process's cgroup says (.../slurm.../job_N/...,
 * cgroup v1 and v2), or SLURM_JOB_ID. Needs no right to list `spool`. */
int slurm_job_opted_out(const char *spool);

/* The job that a text in the form of /proc/PID/cgroup tells, or 0. */
uint32_t slurm_job_of_cgroup(const char *text);

#endif
