/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Watches opens of libraries outside of jobs (those in jobs are in records of runs), and writes
 * them to logs, one a library, of the form of library_log.h:
 *
 *     Mon_Mar_06_1995_07:00 USER LIB_LINKED|LIB_OPENED|LIB_EXECUTED|LIB_EDITED command=... count=N
 * ...
 *
 * Its events are apart from those of changes, so that many opens take nothing away from these.
 */
#ifndef JOBTRAIL_USE_WATCH_H
#define JOBTRAIL_USE_WATCH_H

#include "conf/conf.h"

/* Watches until SIGTERM or SIGINT. Returns 0 then; or -errno, after saying on stderr what is wrong.
 */
int use_watch_run(const struct conf *conf);

#endif
