/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The job's credential as slurmd tells it: the SLURM_* variables of root's prolog and epilog, which
 * slurmd sets from what the controller has signed. A user's own variables arrive there as SPANK_*
 * alone (measured, 22.05). In a step the same names come from the user.
 */
#ifndef JOBTRAIL_CREDENTIAL_H
#define JOBTRAIL_CREDENTIAL_H

#include <stdint.h>

#include "spank/journal_line.h"

/* Adds user, account, partition, qos (from Slurm 26.05 on), cluster, nodes, cpus, gpus, het_job. */
void credential_add(struct journal_line *line);

/* How often the job was started before; in the epilog of a run that is requeued already the next
 * run's. */
uint32_t credential_restart(void);

#endif
