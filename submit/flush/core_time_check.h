/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parent of a reader believes of core seconds. The reader divides the job's allocation
 * among runs and rows of the coverage; its user may have got it under control. So what all records
 * of one reading tell is no more than the allocation that root has found, of runs and of rows, and
 * on days of the job. A reader that goes on where another one came to its end begins anew.
 */
#ifndef JOBTRAIL_CORE_TIME_CHECK_H
#define JOBTRAIL_CORE_TIME_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/facts/job_allocation.h"

struct core_time_sums {
    double runs, run_days, rows; /* core seconds */
};

struct core_time_check {
    double most;                 /* core seconds of the allocation; 0: there is none */
    int32_t first_day, last_day; /* of it (days.h); first > last: none */
    struct core_time_sums taken; /* of records that were */
    struct core_time_sums told;  /* of the record that is looked at */
};

/* `allocation` NULL: of a session or a start, of which no core seconds are told. */
void core_time_check_make(struct core_time_check *check, const struct job_allocation *allocation);

/* Each is called for one value of a record, the `length` bytes of sound JSON without blanks at
 * `value`; `context` is the check. They return whether it may be: slurmT.core_seconds and
 * core_seconds_max, slurmT.core_days, coverageA. */
bool core_time_check_run(void *context, const char *value, size_t length);
bool core_time_check_most(void *context, const char *value, size_t length);
bool core_time_check_days(void *context, const char *value, size_t length);
bool core_time_check_rows(void *context, const char *value, size_t length);

/* The record whose values were looked at is taken, or it is not. */
void core_time_check_end(struct core_time_check *check, bool is_taken);

#endif
