/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Flushing one job: its directory in the spool goes when its records are in the outbox, or what
 * could not be read is in the quarantine.
 */
#pragma once

#include "submit/flush/job_read.h"
#include "submit/job/spool_read.h"

/* Flushes a job and counts what came of it. Trouble is reported on stderr. */
void flush_job(struct flush_state *state, const struct spool_job *job);
