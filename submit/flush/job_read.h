/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading a job that is over, from where earlier flushes came to (job_progress.h), with its records
 * on the disk when this ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "submit/flush/flush_state.h"
#include "submit/flush/reading.h"
#include "submit/job/journal_read.h"
#include "submit/job/looks.h"

/* What root's own programs have noted of a job's processes, beside its journal. */
struct roots_notes {
    struct looks looks;
    struct kernel_notes *kernel; /* owned; NULL: there are none */
};

/* Reads them in the job's directory in the spool. Returns 0 or -errno; roots_notes_free() releases
 * after success. */
int roots_notes_read(int spool, int directory, struct roots_notes *notes);
void roots_notes_free(struct roots_notes *notes);

/* Asked of a struct flush_state when its time is over: when an epilog waits no longer, one flush of
 * the node goes on. Returns until when, CLOCK_MONOTONIC; 0: no longer. */
uint64_t flush_more_time(void *state);

/* Between two steps a job has no process here, and its epilog is still to come. */
bool job_may_go_on(const struct journal *journal);

/* Reads what is open at `ledger` and `packages` (-1: there is none) of the job whose directory is
 * open at `directory`. A reader that is ended is started again, without what has ended it twice.
 * Returns 0 and the outcome, or -errno; what was taken by then is not taken again. Counts records
 * in `*summary`, or, where more are to come, in the state. */
int job_read(struct flush_state *state, const struct journal *journal, int directory, int ledger,
             int packages, struct reading_summary *summary, enum flush_outcome *outcome);
