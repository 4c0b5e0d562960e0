/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The process watch's look at the processes of running jobs. Root notes (looks.h) when it saw a
 * process with an open slot last, and when it was gone first; and that one lives on which has
 * written its end. So the span in which a run without an end can have ended is about
 * PROCESS_LOOK_S. The same look sees whether the job is suspended (suspend_look.h).
 *
 * The ledger is the user's: a reader which has become the user (worker.h) walks it, within bounds
 * of time, memory and slots. Root asks the kernel alone, and notes nothing of processes of other
 * users, nor of those in a pid namespace of their own. What the kernel does not tell is not noted.
 * The program of a process is another one when its file is another one (device and inode) than was
 * seen under the path in the slot, however the file is called by then.
 */
#pragma once

#include "conf/conf.h"

/* A look begins so many seconds after the last one did. */
enum { PROCESS_LOOK_S = 50 };

/* Looks once at the processes of all jobs in the directory open at `spool`: ten seconds at the
 * most, and two for one job, those first that the last look had no time for. Trouble with one job
 * is reported on stderr. Returns 0, or -errno when the spool cannot be read. */
int process_look(const struct conf *conf, int spool);
