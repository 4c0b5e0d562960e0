/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a job on a node, as root, in the process that Slurm starts for it.
 */
#ifndef JOBTRAIL_EPILOG_H
#define JOBTRAIL_EPILOG_H

#include <stdint.h>

#include "settings.h"

/* Adds to the journal of each run of the job on this node that it is over, and what the credential
 * says. Returns whether there is any. */
int epilog_note(const struct settings *settings, uint32_t job, uid_t uid);

/* Runs the flush and waits for it as long as the configuration says; it goes on by itself then. */
void epilog_flush(const struct settings *settings, uint32_t job);

#endif
