/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a job on a node, as root, in the process that Slurm starts for it.
 */
#ifndef JOBTRAIL_EPILOG_H
#define JOBTRAIL_EPILOG_H

#include <stdbool.h>
#include <stdint.h>

#include "spank/settings.h"

/* Runs the flush of the job and waits for it as long as the configuration says; after that the
 * flush continues on its own. `is_over`: the job has ended on this node. Otherwise the flush checks
 * that, and does nothing where the job still runs. */
void epilog_flush(const struct settings *settings, uint32_t job, bool is_over);

/* For jobs that have no SPANK prolog and epilog (slurm_release.h): flushes the job after the end of
 * `step` if the job's extern step has ended. A mark in the job's directory `spool` says so from
 * then on. Returns 0, or -errno where it could not find out or set the mark: then nothing is
 * flushed. */
int epilog_after_step(const struct settings *settings, uint32_t job, uint32_t step, int spool);

#endif
