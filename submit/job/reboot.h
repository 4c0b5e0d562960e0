/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the node was booted since a job ran: then nothing of the job lives, and its epilog never
 * comes.
 */
#ifndef JOBTRAIL_REBOOT_H
#define JOBTRAIL_REBOOT_H

#include "submit/job/journal_read.h"

/* Sets journal->reboot_ns to the time, since the Epoch, at which this node's boot had ended the job
 * at the latest; leaves it 0 where the kernel's boot_id (random(4)) is the one in the journal, or
 * one of them is not known. */
void reboot_find(struct journal *journal);

#endif
