/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a task was asked to run, for the journal: with it the flush can say why a task left no
 * capture. It is what the user asked for, and decides about his own tasks alone.
 */
#ifndef JOBTRAIL_PROGRAM_H
#define JOBTRAIL_PROGRAM_H

#include <slurm/spank.h>

#include "spank/journal_line.h"

/* Fills in the line `program` of the calling task, of the rank `rank` in its step. */
void program_line(spank_t spank, uint32_t rank, struct journal_line *line);

#endif
