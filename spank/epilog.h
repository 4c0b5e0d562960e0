/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a job on a node, as root, in the process that Slurm starts for it.
 */
#ifndef JOBTRAIL_EPILOG_H
#define JOBTRAIL_EPILOG_H

#include <stdint.h>

#include "spank/settings.h"

/* Runs the flush and waits for it as long as the configuration says; it goes on by itself then.
 * Unless the job is `over`, the flush finds out whether it is, and leaves it alone without a word.
 */
void epilog_flush(const struct settings *settings, uint32_t job, int over);

/* The same where the job whose extern step has ended (then the directory `spool` of the job has a
 * mark), or ends with this `step`, has neither prolog nor epilog of SPANK's. */
void epilog_after_step(const struct settings *settings, uint32_t job, uint32_t step, int spool);

#endif
