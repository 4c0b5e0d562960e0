/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_WAKE_H
#define JOBTRAIL_WAKE_H

/* Wakes the node's watcher (jobtrail-submit watch), since a run has begun whose start gets a record
 * of its own. `spool` is JOBTRAIL_SPOOL. Without a watcher nothing happens. */
void wake_watcher(const char *spool);

#endif
