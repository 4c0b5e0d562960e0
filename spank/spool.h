/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's spool directory on this node: <spool>/<job id>.<restart count>, root's, 0711, with the
 * journal (journal.h), the ledger (preload/ledger.h) and the packages (contrib/hooks/packages.h),
 * which belong to the job's user.
 */
#ifndef JOBTRAIL_SPOOL_H
#define JOBTRAIL_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* This node's name as Slurm knows it. Valid until the environment changes. */
const char *spool_node(void);

/* Opens the job's directory below `spool`; makes it, and `spool`, where they are missing. Returns
 * a directory descriptor, which the caller closes, or -errno. */
int spool_open(const char *spool, uint32_t job, uint32_t restart);

/* As spool_open(), but makes nothing. */
int spool_find(const char *spool, uint32_t job, uint32_t restart);

/* Hands each run of the job below `spool`, its restart count and its directory, to `found`, which
 * must not keep the descriptor. */
void spool_find_runs(const char *spool, uint32_t job,
                     void (*found)(void *context, uint32_t restart, int directory), void *context);

/* The restart count of the job's last run below `spool`, or `otherwise` where there is none. To be
 * called as root, who alone may list the directory. */
uint32_t spool_last_run(const char *spool, uint32_t job, uint32_t otherwise);

/* Makes the ledger of `bytes` for the job's user in the directory `job`, unless it is there
 * already. Returns 0 or -errno. */
int spool_make_ledger(int job, uid_t uid, gid_t gid, uint64_t bytes);

/* Makes the file for the hooks' lines (contrib/hooks/packages.h) for the job's user in the
 * directory `job`, unless it is there already. Returns 0 or -errno. */
int spool_make_packages(int job, uid_t uid, gid_t gid);

/* Leaves SPOOL_OPTED_OUT (spool_path.h) in the directory `job`, where it can. */
void spool_mark_opted_out(int job);

/* Removes the job's directory when it has no ledger and nothing in its journal, as on a full file
 * system: nobody then tries to add to it. */
void spool_forget(const char *spool, uint32_t job, uint32_t restart);

#endif
