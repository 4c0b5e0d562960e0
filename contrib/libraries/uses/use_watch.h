/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Watches opens of libraries outside of jobs (those in jobs are in records of runs). Each ten
 * minutes they go to records (use_records.h), and to logs, one a library, of the form of
 * library_log.h:
 *
 *     Mon_Mar_06_1995_07:00 USER LIB_LINKED|LIB_OPENED|... command=... count=N ...
 *
 * Who writes a library does not use it (use_counts.h), and neither do programs of jobtrail's. Opens
 * by processes that were gone before anybody could look count for nobody's user; where jobs are on
 * the node they are counted as unseen instead.
 *
 * Its events are apart from those of changes, so that many opens take nothing away from these.
 */
#pragma once

#include <stdint.h>

#include "conf/conf.h"

/* Watches until SIGTERM or SIGINT; SIGUSR1 has it write at once what it has counted. Returns 0
 * then; or -errno, after saying on stderr what is wrong. */
int use_watch_run(const struct conf *conf);

/* Until when all uses are reported, in seconds since the Epoch; 0: none ever were. */
int64_t use_watch_told(const struct conf *conf);
