/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a job is over on this node, of whose epilog the journal says nothing.
 */
#ifndef JOBTRAIL_JOB_OVER_H
#define JOBTRAIL_JOB_OVER_H

#include "submit/job/journal_read.h"

/* Whether a daemon of one of its steps, or one of its tasks, lives. */
int job_lives(const struct journal *journal);

/* Where Slurm calls neither SPANK's prolog nor its epilog (PrologFlags=RunInJob), the job's extern
 * step is the last one on a node. Sets journal->epilog_ns to the journal's youngest time where
 * there was no prolog, the extern step has ended or its daemon is gone, and nothing of the job
 * lives. */
void job_over_find(struct journal *journal);

#endif
