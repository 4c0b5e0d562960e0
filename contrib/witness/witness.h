/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel's witness of a node: what the kernel tells root of every process of a job (fork, exec,
 * exit, exit status, times, memory) is written into the job's file KERNEL_NOTES_NAME, whatever the
 * process did with its environment, session, namespaces or privileges. It wakes once a second, and
 * when a quarter of a ring is full.
 *
 * Of memory it takes rings of 4 MiB for each CPU, 64 MiB for all of them at the most, 16 MiB for
 * ends of threads that wait, tables of 30 MiB at the most, and for each job 64 KiB and its
 * programs. Without the kernel's events nothing is written, and it ends; without ends of threads
 * there is no status and no use of resources. Which of them the kernel refuses is in its state
 * (submit/job/witness_state.h).
 */
#ifndef JOBTRAIL_WITNESS_H
#define JOBTRAIL_WITNESS_H

#include "conf/conf.h"

/* Listens until SIGTERM, for the jobs of the spool directory open at `spool`. Then all that was
 * told is written. Returns 0; -EWOULDBLOCK where another one runs for this spool; or -errno, which
 * was told on stderr. */
int witness_run(const struct conf *conf, int spool);

#endif
