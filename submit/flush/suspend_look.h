/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watcher's look whether Slurm has suspended a job (scontrol suspend, gang scheduling,
 * preemption by suspension). No callback tells of it. Slurm stops all processes of all steps, that
 * of the extern step too: first by SIGTSTP, two seconds later by SIGSTOP, with proctrack/cgroup by
 * the freezer (measured with Slurm 22.05).
 *
 * Where the job has an extern step (PrologFlags=Contain), the process that it keeps there is
 * root's: no user can stop or resume it. It alone decides. Elsewhere a job counts as suspended
 * while all of its tasks that live on the node are stopped. A user can stop them: then their own
 * job loses this time of its allocation, and nobody else's does. Of Slurm's accounting it is then
 * missing, and readers that have that count it as idle.
 *
 * A change is appended to the journal, as long as it has fewer than JOURNAL_PAUSES_MAX pauses.
 */
#ifndef JOBTRAIL_SUSPEND_LOOK_H
#define JOBTRAIL_SUSPEND_LOOK_H

#include "submit/job/journal_read.h"

/* Looks at the job of `journal`, whose directory is locked. What is not known is not noted. Returns
 * 0 or -errno. */
int suspend_look(int directory, const struct journal *journal);

#endif
