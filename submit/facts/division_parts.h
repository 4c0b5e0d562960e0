/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of a division share; for its own files alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/days.h"
#include "submit/facts/job_tasks.h"
#include "submit/facts/run_tree.h"
#include "submit/job/journal_read.h"

/* What a division (division.h) is made of, but for the runs. */
struct division_source {
    const struct journal *journal;
    const struct job_allocation *allocation;
    struct job_tasks *tasks; /* what captures tell of them is noted there */
    bool is_excluded;        /* the site skips the job: tasks do not follow others */
};

struct division {
    struct division_source source;
    struct partition_run *run; /* owned; as they were added */
    const char **left_out;     /* owned; of each run the path in `paths`; NULL: it is kept */
    bool *passed_over;         /* owned; of each run */
    size_t run_count;
    void *paths; /* owned; a tree (tsearch(3)) of owned texts, each once */
    struct run_parents parents;
    size_t *own_run; /* owned; of each task the last program of its own process; SIZE_MAX: none */
    size_t *leading; /* owned; see division_leading() */
    uint64_t *midnights; /* owned */
    size_t day_count;
    struct division_date {
        char text[DAYS_TEXT_SIZE];
    } * date;                          /* owned; of each day */
    struct partition_share *suspended; /* owned; see division_maybe_suspended() */
    size_t suspended_count;
    double *sum;                /* owned; by day, of what is asked for */
    struct allocation_day *day; /* owned; the same without zeros */
    struct partition *partition;
};

/* Makes the allocation's days: midnights, dates, and room for sums. Returns 0 or -ENOMEM. */
int division_find_days(struct division *division);

/* Makes `suspended`, when the days are known. Returns 0 or -ENOMEM. */
int division_find_suspended(struct division *division);

/* Finds, when `partition` is made, which run leads each task. Returns 0 or -ENOMEM. */
int division_find_leaders(struct division *division);
