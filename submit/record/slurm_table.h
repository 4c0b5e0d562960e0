/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * slurmT of a run's record: what root knows of the run, and when it may have ended.
 */
#ifndef JOBTRAIL_SLURM_TABLE_H
#define JOBTRAIL_SLURM_TABLE_H

#include <json-c/json.h>

#include "submit/record/run_record.h"

/* The table, the caller's, with the keys that submit/definition/keys.def lists; NULL when out of
 * memory. Runs for which all but the times are the same share the text of these in `source->memo`.
 */
struct json_object *slurm_table(const struct run_source *source);

#endif
