/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's spool directory on this node: <spool>/<job id>.<restart count>, root's, which the job's
 * user may search and nobody else. In it are the journal (journal.h), and in the directory `user`
 * (spool_part.h) the ledger (preload/ledger.h) and the packages (contrib/hooks/packages.h), which
 * belong to the job's user.
 *
 * A directory of this name whose journal is another user's, or says that its job is over, is what
 * an earlier job of the same id has left: it gets another name (SPOOL_LEFT), under which the flush
 * deals with it, and is never used again.
 */
#ifndef JOBTRAIL_SPOOL_H
#define JOBTRAIL_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "spank/journal_line.h"

enum { SPOOL_NAME_MAX = 32 };

/* Whether what a job's user owns gets a file system of its own. */
enum spool_mount {
    SPOOL_MOUNT_AUTO, /* where the spool is in memory too: no power loss takes more than it does */
    SPOOL_MOUNT_YES,
    SPOOL_MOUNT_NO,
};

/* A job's run on this node. */
struct spool_run {
    const char *spool; /* the node's directory */
    uint32_t job, restart;
    uid_t uid; /* of the job */
    enum spool_mount mount;
    uint64_t ledger_bytes;
};

/* This node's name as Slurm knows it. Valid until the environment changes. */
const char *spool_node(void);

/* The name of a run's directory. */
void spool_name(uint32_t job, uint32_t restart, char name[SPOOL_NAME_MAX]);

/* Opens the run's directory and adds the line to its journal; makes it, and the node's directory,
 * where they are missing. What an earlier job has left there is set aside before. Returns a
 * directory descriptor, which the caller closes, or -errno; -EDQUOT where SPOOL_LEFT_MAX of them
 * are still there. */
int spool_enter(const struct spool_run *run, const struct journal_line *line);

/* Opens the directory of a run of this user's. Returns a descriptor, which the caller closes, or
 * -errno (-ENOENT too where it is another user's). */
int spool_find(const char *spool, uint32_t job, uint32_t restart, uid_t uid);

/* Hands each run of the job below `spool`, its restart count and its directory, to `found`, which
 * must not keep the descriptor. */
void spool_find_runs(const char *spool, uint32_t job,
                     void (*found)(void *context, uint32_t restart, int directory), void *context);

/* The restart count of the last run below `spool` of this job of this user that goes on; where none
 * does, of the last one that is over, of which steps have late news; or `otherwise`. To be called
 * as root, who alone may list the directory. */
uint32_t spool_last_run(const char *spool, uint32_t job, uid_t uid, uint32_t otherwise);

/* Leaves SPOOL_OPTED_OUT (spool_path.h) in the directory `job`, where it can. */
void spool_mark_opted_out(int job);

#endif
