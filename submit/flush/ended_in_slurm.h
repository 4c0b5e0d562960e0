/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_ENDED_IN_SLURM_H
#define JOBTRAIL_ENDED_IN_SLURM_H

#include <stdbool.h>

#include "submit/job/journal_read.h"

/* Whether a job that may have ended unseen (spool_job_is_quiet()) is over, as squeue(1) says. Then
 * a mark in its directory says so from then on. Slurm is asked when nothing has happened for
 * JOB_QUIET_S, and again each time that the job has been quiet for twice as long: so a job that
 * idles for days costs some requests, and one that is over is found after twice the time at the
 * latest. squeue has ten seconds; where it fails, as where Slurm's controller is away, the job is
 * taken to go on. */
bool ended_in_slurm(int directory, const struct journal *journal);

#endif
