/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a division (division.h) is made of, but for the runs.
 */
#ifndef JOBTRAIL_DIVISION_SOURCE_H
#define JOBTRAIL_DIVISION_SOURCE_H

#include <stdbool.h>

#include "submit/evidence/succession.h"
#include "submit/facts/job_allocation.h"
#include "submit/facts/job_tasks.h"
#include "submit/job/journal_read.h"

struct division_source {
    const struct journal *journal;
    const struct job_allocation *allocation;
    struct job_tasks *tasks; /* what captures tell of them is noted there */
    const struct succession *succession;
    bool is_excluded; /* the site skips the job: tasks do not follow others */
};

#endif
