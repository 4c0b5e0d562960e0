/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a job is over on this node though the journal has no line of its epilog.
 */
#ifndef JOBTRAIL_JOB_OVER_H
#define JOBTRAIL_JOB_OVER_H

#include <stdbool.h>

#include "submit/job/journal_read.h"

/* Whether the daemon of one of its steps, or one of its tasks, still runs here. */
bool job_is_alive(const struct journal *journal);

/* Where Slurm calls neither the plugin's prolog nor its epilog (PrologFlags=RunInJob), the job's
 * extern step is the last one on a node. Sets journal->epilog_ns to the latest time in the journal
 * if there was no prolog, there was an extern step, and job_is_alive() is false. */
void job_over_find(struct journal *journal);

#endif
