/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The start of a job on a node, before its first step there, as root, in the process that Slurm
 * starts for it.
 */
#pragma once

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

/* What identifies a process in addition to its pid: the node, the boot and the start of the
 * process.
 *
 * Adds this node's name and the kernel's id of this boot (random(4), boot_id). */
void node_add(struct journal_line *line);

/* Clock ticks since boot at which the process `pid` started; 0: unknown (proc(5)). */
unsigned long long node_start_ticks(pid_t pid);

/* ---- The end of a job ------------------------------------------------------------------------ */

/* The end of a job on a node, as root, in the process that Slurm starts for it. */

/* Runs the flush of the job and waits for it as long as the configuration says; after that the
 * flush continues on its own. `is_over`: the job has ended on this node. Otherwise the flush checks
 * that, and does nothing where the job still runs. */
void epilog_flush(const struct settings *settings, uint32_t job, bool is_over);

/* For jobs that have no SPANK prolog and epilog (slurm_release.h): flushes the job after the end of
 * `step` if the job's extern step has ended. A mark in the job's directory `spool` says so from
 * then on. Returns 0, or -errno where it could not find out or set the mark: then nothing is
 * flushed. */
int epilog_after_step(const struct settings *settings, uint32_t job, uint32_t step, int spool);
