/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_QUARANTINE_H
#define JOBTRAIL_QUARANTINE_H

#include "conf.h"
#include "spool_read.h"

/* Copies the files of a job's spool directory to <state>/quarantine/<job>.<restart>, with the
 * `reason` beside them in the file `reason`, so that nothing that could not be used is lost.
 * Returns 0 or -errno. */
int quarantine_keep(const struct conf *conf, const struct spool_job *job, int directory,
                    const char *reason);

#endif
