/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "submit/job/journal_read.h"

/* Reads the journal in a job's directory, and adds to it how many lines it had no room for, the
 * name of its user, until when the process watch saw the job suspended, and whether a reboot or
 * something else has ended the job. Returns 0, -ENODATA when there is no journal or it does not say
 * whose job this is, or -errno. journal_free() releases. */
int spool_job_journal(int directory, struct journal *journal);

/* Whether the daemon of one of its steps, or one of its tasks, still runs here. */
bool job_is_alive(const struct journal *journal);

/* For so many seconds nothing must have been added to a journal before anybody wonders whether the
 * job is over. */
enum { JOB_QUIET_S = 300 };

/* Whether the job in this directory may have ended unseen: no epilog, reboot or end of its extern
 * step is known, none of its processes lives here, and its journal has had no line for JOB_QUIET_S.
 * Either the job goes on without a step here; or Slurm called no epilog of the plugin's, since
 * slurmd had not been restarted after the plugin's line was added, or was killed. */
bool spool_job_is_quiet(int directory, const struct journal *journal);

/* Whether the process watch saw a running job suspended on this node when it looked last: the file
 * SUSPENSION_NAME beside the journal, root's alone. Its text is one line, `running TIME` or
 * `suspended TIME`, in nanoseconds since the Epoch. The journal has when that changed
 * (spank/journal.h). */
#define SUSPENSION_NAME "suspension"

struct suspension {
    bool is_suspended;
    uint64_t time_ns; /* of the look; 0: there was none */
};

/* Reads the file in a job's directory. Where there is none of this format, there was no look. */
struct suspension suspension_read(int directory);

/* Writes the file. Returns 0 or -errno. */
int suspension_write(int directory, const struct suspension *suspension);
