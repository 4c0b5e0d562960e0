/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Removing the jobs' spool directories on this node.
 */
#pragma once

#include "submit/job/spool_read.h"

/* Removes a job's directory and all files in it, and unmounts what is mounted there; and the
 * links of its SLUIDs (spank/job_sluid.h). Where another
 * mount namespace keeps it mounted, the directory stays, empty, under a name that no job has:
 * spool_sweep() in that namespace removes it. Returns 0 or -errno. */
int spool_remove(int spool, int directory, const struct spool_job *job);

/* Removes directories that were never finished, as their makers are dead, and those that
 * spool_remove() had to leave. */
void spool_sweep(int spool, uint64_t now_ns);
