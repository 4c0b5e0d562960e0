/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a job on a node, as root, in the process that Slurm starts for it.
 */
#ifndef JOBTRAIL_EPILOG_H
#define JOBTRAIL_EPILOG_H

#include <stdint.h>

#include "settings.h"

/* Adds what the job's credential says, which is in the epilog's environment, to the job's journal.
 * Returns whether this node holds anything of the job. */
int epilog_note(const struct settings *settings, uint32_t job);

/* Runs the flush and waits for it as long as the configuration says; it goes on by itself then. */
void epilog_flush(const struct settings *settings, uint32_t job);

#endif
