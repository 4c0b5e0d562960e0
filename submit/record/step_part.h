/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What records that root makes of a step on a node have in common: their uuid, and the job, the
 * user and the step.
 */
#ifndef JOBTRAIL_STEP_PART_H
#define JOBTRAIL_STEP_PART_H

#include <json-c/json.h>
#include <stdbool.h>

#include "conf/conf.h"
#include "submit/job/journal_read.h"
#include "submit/record/record.h"

struct step_part {
    const struct conf *conf;
    const struct job_identity *identity;
    const struct journal_step *step;
};

/* The same `kind`, step, node and `what` give the same text, of RECORD_UUID_SIZE bytes. Returns 0,
 * -ENOMEM, or -EIO where there is no hash (uuid7.h). */
int step_part_uuid(const struct step_part *part, const char *kind, const char *what, char *text);

/* cluster to partition; step_id to node_tasks. */
void step_part_add_job(struct json_object *table, const struct step_part *part);
void step_part_add_step(struct json_object *table, const struct step_part *part);

void step_part_add_seconds(struct json_object *table, const char *key, double ns, bool is_known);

#endif
