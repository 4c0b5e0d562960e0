/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_JOB_H
#define JOBTRAIL_SPOOL_JOB_H

#include <stdbool.h>

#include "submit/job/journal_read.h"

/* Reads the journal in a job's directory, and adds to it how many lines it had no room for, the
 * name of its user, until when the watcher saw the job suspended, and whether a reboot or something
 * else has ended the job. Returns 0, -ENODATA
 * when there is no journal or it does not say whose job this is, or -errno. journal_free()
 * releases. */
int spool_job_journal(int directory, struct journal *journal);

/* Whether the daemon of one of its steps, or one of its tasks, still runs here. */
bool job_is_alive(const struct journal *journal);

#endif
