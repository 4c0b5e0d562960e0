/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which core seconds of a reader root accepts. The reader divides the job's allocation among runs
 * and rows of the coverage, and its user may have taken it over. So root, its parent, accepts no
 * more for all records of a job than the allocation that root has found, for runs and for rows, on
 * days of the job. A reader that goes on where another one came to its end begins with what was
 * taken of that. Numbers of tasks, and of runs without a record, are no more than there was room
 * for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/facts/job_tasks.h"

struct core_time_sums {
    double runs, run_days, rows; /* core seconds */
    double row_runs, row_tasks;  /* how many rows tell of */
};

struct core_time_check {
    double most;                 /* core seconds of the allocation; 0: there is none */
    int32_t first_day, last_day; /* of it (days.h); first > last: none */
    double most_row_runs, most_row_tasks;
    double most_others;          /* runs */
    struct core_time_sums taken; /* of records that were, by earlier readers of the job too */
    struct core_time_sums told;  /* of the record that is looked at */
};

/* `allocation` NULL: of a session or a start, of which no core seconds are reported.
 * `ledger_bytes`: of the ledger, as far as it is read. */
void core_time_check_make(struct core_time_check *check, const struct job_allocation *allocation,
                          uint64_t ledger_bytes);

/* Each is called for one value of a record, the `length` bytes of sound JSON without blanks at
 * `value`; `context` is the check. They return whether it may be: slurmT.core_seconds and
 * core_seconds_max, slurmT.core_days, coverageA, and coverageT.others_runs, others_seconds and
 * dropped. */
bool core_time_check_run(void *context, const char *value, size_t length);
bool core_time_check_most(void *context, const char *value, size_t length);
bool core_time_check_days(void *context, const char *value, size_t length);
bool core_time_check_rows(void *context, const char *value, size_t length);
bool core_time_check_others(void *context, const char *value, size_t length);
bool core_time_check_others_time(void *context, const char *value, size_t length);
bool core_time_check_dropped(void *context, const char *value, size_t length);

/* The record whose values were looked at is taken, or it is not. */
void core_time_check_end(struct core_time_check *check, bool is_taken);
