/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The start of a job on a node, before its first step there, as root, in the process that Slurm
 * starts for it.
 */
#ifndef JOBTRAIL_PROLOG_H
#define JOBTRAIL_PROLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "spank/journal_line.h"
#include "spank/settings.h"

/* Makes the job's spool directory and starts its journal with the job's credential, which is then
 * known also where no epilog runs. A failure is not reported here: the start of each step uses the
 * same directory and reports it, the epilog writes the credential again, and a job without a step
 * on this node has nothing to record. */
void prolog_note(const struct settings *settings, uint32_t job, uid_t uid, gid_t gid);

/* Whether the journal in the directory open at `spool` begins with the line of prolog_note(). Then
 * Slurm has called the SPANK prolog for this run, and will call the SPANK epilog.
 * Returns 1, 0 or -errno. */
int prolog_was_noted(int spool);

/* What identifies a process in addition to its pid: the node, the boot and the start of the
 * process.
 *
 * Adds this node's name and the kernel's id of this boot (random(4), boot_id). */
void node_add(struct journal_line *line);

/* Clock ticks since boot at which the process `pid` started; 0: unknown (proc(5)). */
unsigned long long node_start_ticks(pid_t pid);

#endif
