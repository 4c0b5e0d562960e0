/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of the journal that are made from the environment of root's prolog or epilog: SPANK's, or
 * the site's script (slurm.conf(5), Prolog). Slurm gives both the same variables.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "spank/journal_line.h"

/* Appends the line `epilog` to each journal of the job below the node's spool directory `spool`
 * that belongs to a job of the user `uid`, and notes which run is next where the job was requeued
 * (spool.h). Returns whether there is any directory of the job. */
bool epilog_note(const char *spool, uint32_t job, uid_t uid);

/* Appends the line `credential` to the journal of the job's run that goes on, for a Prolog script
 * that runs inside of the job (slurm_release.h). Returns as above. */
bool epilog_note_credential(const char *spool, uint32_t job, uid_t uid);

/* The job's credential, from the SLURM_* variables of root's prolog and epilog. slurmd sets them
 * from what the controller has signed. A user's own variables have the prefix SPANK_ there
 * (measured, 22.05). In a step variables of the same names come from the user.
 *
 * Adds user, account, partition, qos (from Slurm 26.05 on), cluster, nodes, cpus, gpus, het_job. */
void credential_add(struct journal_line *line);

/* How often the job was started before. In the epilog of a run that is requeued this is already the
 * next run's number. */
uint32_t credential_restart(void);
