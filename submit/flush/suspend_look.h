/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the process watch finds out whether Slurm has suspended a job (scontrol suspend, gang
 * scheduling, preemption by suspension). No callback reports it. Slurm stops all processes of all
 * steps: first by SIGTSTP, two seconds later by SIGSTOP, with proctrack/cgroup by the freezer
 * (measured with Slurm 22.05 and 26.05).
 *
 * Until Slurm 24.11 a job's extern step (PrologFlags=Contain) keeps a process of root's, which no
 * user can stop or resume: where there is one, it alone decides. Elsewhere a job counts as
 * suspended while all of its tasks that live on the node are: frozen, where Slurm freezes, which no
 * user can do either; or stopped. A user can stop them: then their own job loses this time of its
 * allocation, and nobody else's does. Of Slurm's accounting it is then missing, and readers that
 * have that count it as idle.
 *
 * A change is appended to the journal, as long as it has fewer than JOURNAL_PAUSES_MAX pauses.
 */
#pragma once

#include "submit/job/journal_read.h"

/* Looks at the job of `journal`, whose directory is locked. What is not known is not noted. Returns
 * 0 or -errno. */
int suspend_look(int directory, const struct journal *journal);
