/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line `program` of the journal: which program a task is to run. By it the flush finds out why
 * a task left no capture. The user chooses the text, so it is used for the coverage of this user's
 * tasks and nothing else.
 */
#ifndef JOBTRAIL_PROGRAM_H
#define JOBTRAIL_PROGRAM_H

#include <slurm/spank.h>

#include "spank/journal_line.h"

/* Fills in the line `program` of the calling task, of the rank `rank` in its step. */
void program_line(spank_t spank, uint32_t rank, struct journal_line *line);

#endif
