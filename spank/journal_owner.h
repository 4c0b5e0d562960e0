/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which job a journal in the spool belongs to. Slurm reuses the ids of jobs, so a directory of the
 * same name may have been left by an earlier job.
 */
#pragma once

#include <sys/types.h>

/* Whether the journal in the directory `job` belongs to a job of the user `uid` that was started
 * since the last boot of the node, whose epilog has not begun, and whose extern step has not ended
 * where that is the end of the job (SPOOL_EXTERN_ENDED). Returns 1; 0 where it does not, or is
 * missing or damaged; or -errno where it could not be read. */
int journal_is_current(int job, uid_t uid);

/* Whether it belongs to a job of the user, over or not. Returns as above. */
int journal_is_of_user(int job, uid_t uid);
