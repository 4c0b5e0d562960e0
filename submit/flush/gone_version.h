/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs of a version with other formats (spank/job_formats.h) whose program is gone: nobody can read
 * what they left. It goes to the quarantine.
 */
#ifndef JOBTRAIL_GONE_VERSION_H
#define JOBTRAIL_GONE_VERSION_H

#include "submit/flush/flush.h"

/* Sets aside the jobs in the directory `spool`, of these formats, that the options ask for: of one
 * job or of all; of orphans those alone that were there when the node booted. The others are left
 * alone, and counted as running. */
void gone_version_flush(const struct conf *conf, const struct flush_options *options,
                        const char *spool, uint32_t formats, struct flush_count *count);

#endif
