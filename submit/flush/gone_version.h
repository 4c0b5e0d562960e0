/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of a version with other formats (spank/job_formats.h) whose program is gone: nobody can read
 * what they left. It goes to the quarantine.
 */
#ifndef JOBTRAIL_GONE_VERSION_H
#define JOBTRAIL_GONE_VERSION_H

#include "submit/flush/flush_state.h"

/* Sets aside the jobs in the directory `spool`, of these formats, that are over and that the
 * options ask for, and marks this version's directories of the same jobs as over, for the next
 * flush. Their journals cannot be read. So a job is over if its epilog has begun (SPOOL_OVER), if
 * its extern step has ended (SPOOL_EXTERN_ENDED) and no daemon of a step may be its own
 * (step_daemons.h), if it was there when the node booted, or if a later job of the same id has
 * found it. The others are left alone, and counted as running; one that is asked for by its id is
 * told on stderr. */
void gone_version_flush(const struct conf *conf, const struct flush_options *options,
                        const char *spool, uint32_t formats, struct flush_count *count);

#endif
