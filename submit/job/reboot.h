/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the node was booted since a job ran: then no process of the job is left, and its epilog
 * will not run.
 */
#ifndef JOBTRAIL_REBOOT_H
#define JOBTRAIL_REBOOT_H

#include "submit/job/journal_read.h"

/* Sets journal->reboot_ns to the time, since the Epoch, by which the boot must have ended the job.
 * Leaves it 0 where the kernel's boot_id (random(4)) is the one in the journal, or one of the two
 * is unknown. */
void reboot_find(struct journal *journal);

#endif
