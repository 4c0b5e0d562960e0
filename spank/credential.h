/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The job's credential, from the SLURM_* variables of root's prolog and epilog. slurmd sets them
 * from what the controller has signed. A user's own variables have the prefix SPANK_ there
 * (measured, 22.05). In a step variables of the same names come from the user.
 */
#ifndef JOBTRAIL_CREDENTIAL_H
#define JOBTRAIL_CREDENTIAL_H

#include <stdint.h>

#include "spank/journal_line.h"

/* Adds user, account, partition, qos (from Slurm 26.05 on), cluster, nodes, cpus, gpus, het_job. */
void credential_add(struct journal_line *line);

/* How often the job was started before. In the epilog of a run that is requeued this is already the
 * next run's number. */
uint32_t credential_restart(void);

#endif
