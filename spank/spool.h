/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's spool directory on this node: <spool>/<job id>.<restart count>. It belongs to root; the
 * job's user may search it, and nobody else. It has the journal (journal.h), and in the directory
 * `user` (spool_part.h) the ledger (preload/ledger.h) and the packages (contrib/hooks/packages.h),
 * which belong to the job's user.
 *
 * An earlier job of the same id may have left a directory of this name: its journal is another
 * user's, or says that its job is over. Such a directory is renamed (SPOOL_LEFT). The flush finds
 * it under the new name; no job uses it again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "spank/journal_line.h"

enum { SPOOL_NAME_MAX = 32 };

/* Whether the files of a job's user get a file system of their own, a tmpfs. */
enum spool_mount {
    SPOOL_MOUNT_AUTO, /* where the spool is in memory as well, and so lost at a power loss anyway */
    SPOOL_MOUNT_YES,
    SPOOL_MOUNT_NO,
};

/* A job's run on this node. */
struct spool_run {
    const char *spool; /* the node's directory */
    uint32_t job, restart;
    uid_t uid; /* of the job */
    enum spool_mount mount;
    uint64_t user_bytes; /* of the ledger and, where there may be one, of the profile */
};

/* The name of a run's directory. */
void spool_name(uint32_t job, uint32_t restart, char name[SPOOL_NAME_MAX]);

/* Whether `name` is that of a run of the job, and of which. */
bool spool_parse_run(const char *name, uint32_t job, uint32_t *restart);

/* Opens the run's directory and adds the line to its journal. Makes the directory, and the node's,
 * where they are missing, and first renames what an earlier job has left there. Returns a directory
 * descriptor, which the caller closes, or -errno; -EDQUOT where SPOOL_LEFT_MAX directories that
 * were left are still there. */
int spool_enter(const struct spool_run *run, const struct journal_line *line);

/* Opens the directory of a run of the user `uid`. Returns a descriptor, which the caller closes, or
 * -errno; -ENOENT also where it belongs to another user's run. */
int spool_find(const char *spool, uint32_t job, uint32_t restart, uid_t uid);

/* Calls `found` with the restart count and the directory of each run of the job below `spool`. The
 * descriptor is closed after the call. Only root may list the directory. Returns 0, or -EACCES
 * where this process may not look into all of it; runs that cannot be opened for other reasons
 * count as none. */
int spool_find_runs(const char *spool, uint32_t job,
                    void (*found)(void *context, uint32_t restart, int directory), void *context);

/* Sets the restart count of the job's last run of the user `uid` below `spool` that has not ended.
 * Where all have ended, that of the last one, since its steps may still append lines; where there
 * is none, it stays as it is. Returns 0, or -EACCES as above. */
int spool_last_run(const char *spool, uint32_t job, uid_t uid, uint32_t *restart);

/* Notes for some minutes that the next run of the user's job is the one that was restarted so
 * often; 0: forgets what was noted. spool_noted_restart() returns that; 0: nothing, or of another
 * user. */
void spool_note_restart(const char *spool, uint32_t job, uid_t uid, uint32_t restart);
uint32_t spool_noted_restart(const char *spool, uint32_t job, uid_t uid);

/* Makes the empty file `name` in the directory `job`. Returns 0 or -errno. */
int spool_mark(int job, const char *name);
