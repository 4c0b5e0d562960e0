/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of a version with other formats (spank/job_formats.h) whose program is gone: nobody can read
 * what they left. It goes to the quarantine.
 */
#ifndef JOBTRAIL_GONE_VERSION_H
#define JOBTRAIL_GONE_VERSION_H

#include "submit/flush/flush.h"

/* Sets aside the jobs in the directory `spool`, of these formats, that are over and that the
 * options ask for. Their journals cannot be read. So a job is over if it was there when the node
 * booted, if a later job of the same id has found it, or if it is asked for by its id, as epilogs
 * do. The others are left alone, and counted as running. */
void gone_version_flush(const struct conf *conf, const struct flush_options *options,
                        const char *spool, uint32_t formats, struct flush_count *count);

#endif
