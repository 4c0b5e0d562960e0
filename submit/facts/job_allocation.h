/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What Slurm allocated to a job on this node, by the journal; and what a run had of it. Root and
 * the reader of the user's files make the same of the same journal.
 */
#ifndef JOBTRAIL_JOB_ALLOCATION_H
#define JOBTRAIL_JOB_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/days.h"
#include "submit/job/journal_read.h"

struct job_allocation {
    uint32_t cpus;             /* 0: not known */
    uint64_t start_ns, end_ns; /* since the Epoch */
    const char *start_source;  /* "slurm"; "prolog"; "step": the first line of a step */
    const char *end_source;    /* "epilog"; "reboot"; "flush": it is not known to have ended */
    uint64_t suspended_ns;     /* nothing of it was allocated then, as far as that is sure */
    double core_seconds;       /* cpus x (end - start - suspended) */
    bool is_clock_known;
    double clock_step; /* s by which the clock was set meanwhile, where that is known */
    uint32_t tasks;    /* that the journal has */
};

/* Core seconds on one day. */
struct allocation_day {
    char date[DAYS_TEXT_SIZE];
    double core_seconds;
};

/* What a run had of the allocation. */
struct allocation_run {
    double core_seconds;              /* that no other run had */
    double most;                      /* that it can have had */
    const struct allocation_day *day; /* those of core_seconds */
    size_t day_count;
    bool leads; /* it stands for the tasks that follow its own */
};

/* `now_ns`: the end of a job of which the journal has no end. */
struct job_allocation job_allocation_find(const struct journal *journal, uint64_t now_ns);

/* How many runs there can have been at the most: starting one takes more than 0.1 ms of a CPU. Not
 * more than UINT32_MAX. */
uint64_t job_allocation_most_runs(const struct job_allocation *allocation);

/* The part of `[start_ns, end_ns]` that is in the allocation; false: none. */
bool job_allocation_clip(const struct job_allocation *allocation, uint64_t *start_ns,
                         uint64_t *end_ns);

#endif
