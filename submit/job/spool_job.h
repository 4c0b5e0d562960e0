/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_JOB_H
#define JOBTRAIL_SPOOL_JOB_H

#include "submit/job/journal_read.h"

/* Reads the journal in a job's directory and how many lines it had no room for, who its user is
 * and whether the node was booted since or the job is
 * over in another way.
 * Returns 0, -ENODATA when there is none or it does not say whose job this is, or -errno.
 * journal_free() releases. */
int spool_job_journal(int directory, struct journal *journal);

#endif
