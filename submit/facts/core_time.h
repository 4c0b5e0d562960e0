/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CORE_TIME_H
#define JOBTRAIL_CORE_TIME_H

#include <stdint.h>

#include "submit/job/journal_read.h"

/* The core seconds of a task from `start_ns` to `end_ns`: its processors times the time. For a
 * batch script or an interactive shell, all of the job's processors on the node count, but only
 * while no other step ran there. */
double core_time(const struct journal *journal, const struct journal_step *step, uint64_t start_ns,
                 uint64_t end_ns);

/* The same of a task that uses all the job's processors on the node. */
double core_time_of_job(const struct journal_step *step, uint64_t start_ns, uint64_t end_ns);

#endif
