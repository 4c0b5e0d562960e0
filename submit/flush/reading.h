/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes records of what a user's processes wrote: a child (worker.h) becomes the user, reads their
 * files and makes the records. The parent checks each one (worker_check.h), and takes the sound
 * ones.
 */
#pragma once

#include "submit/flush/flush_state.h"
#include "submit/flush/reading_request.h"

/* Returns 0, with the outcome (FLUSH_DONE, FLUSH_NO_LEDGER, FLUSH_NO_POLICY, FLUSH_BROKEN,
 * FLUSH_KILLED, FLUSH_LATE or FLUSH_SPENT) and, where that is FLUSH_DONE, the summary; or -errno,
 * or what `take` returned. What was taken until then is sound in all cases. The reader is ended
 * when it neither gives a record nor begins a unit for two minutes and the time that a job's files
 * may take to be hashed (sessions and handed-in records: ten seconds, starts: two). */
int reading_run(const struct reading_request *request, struct reading_summary *summary,
                enum flush_outcome *outcome);
