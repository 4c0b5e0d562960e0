/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_WAKE_H
#define JOBTRAIL_WAKE_H

#include <stddef.h>

/* Wakes the node's watcher (jobtrail-submit watch), since a run has begun whose start gets a record
 * of its own. `spool` is JOBTRAIL_SPOOL; `path` is scratch space of `room` bytes. Without a watcher
 * nothing happens. */
void wake_watcher(const char *spool, char *path, size_t room);

#endif
