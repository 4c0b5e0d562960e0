/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How far an earlier flush has come with a job, where its time was over: in the file "flushed" of
 * the job's spool directory, "UNIT RECORDS\n" (struct worker_place), decimal.
 */
#ifndef JOBTRAIL_JOB_PLACE_H
#define JOBTRAIL_JOB_PLACE_H

#include "worker.h"

/* The place; the beginning where there is none. */
struct worker_place job_place_read(int directory);

/* When it was noted for this job of the spool directory `spool`, in nanoseconds since the Epoch; 0:
 * never. */
int64_t job_place_time(int spool, const char *job);

/* Notes it; it is on the disk when this returns 0. Or returns -errno. */
int job_place_note(int directory, const struct worker_place *place);

#endif
