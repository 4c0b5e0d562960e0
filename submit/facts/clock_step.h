/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By how much the node's real-time clock was set during a run, and how long the run took all the
 * same.
 *
 * A process that came to its end has measured both: by the real-time clock, and by one that nobody
 * sets. Of any other one its clocks are known at its start. Root's journal has the same two clocks
 * with each line: where both are as far apart at the job's end as they were at the run's start, the
 * clock was not set meanwhile. Where they are not, it may have been set after the run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "submit/evidence/ledger_read.h"
#include "submit/facts/ending.h"
#include "submit/job/journal_read.h"

struct clock_step {
    bool is_known;
    int64_t step_ns; /* 0: it was not set by LEDGER_CLOCK_STEP_NS or more */
    uint64_t run_ns; /* how long the run took */
};

/* `run_ns` is the time from the start of the run to the end of its `ending`, unless its process has
 * measured another one, and the journal confirms that the clock was set as far as that explains: a
 * user can write anything into the ledger. `journal` is NULL outside of Slurm. */
struct clock_step clock_step_find(const struct capture *capture, const struct ending *ending,
                                  const struct journal *journal);
