/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * slurmT of a run's record: what root knows of the run, and when it may have ended.
 */
#ifndef JOBTRAIL_SLURM_TABLE_H
#define JOBTRAIL_SLURM_TABLE_H

#include "submit/record/json_write.h"
#include "submit/record/run_source.h"

/* Writes the table with the keys that submit/definition/keys.def lists. Runs for which all but
 * times, pid and core seconds are the same share the text of these in `source->memo`. */
void slurm_table_write(const struct run_source *source, struct json_writer *writer);

#endif
