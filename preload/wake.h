/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_WAKE_H
#define JOBTRAIL_WAKE_H

/* Tells the node's watcher (jobtrail-submit watch) that a run has begun whose start is worth a
 * record of its own. `spool` is the job's directory. Where nobody listens nothing happens. */
void wake_watcher(const char *spool);

#endif
