/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `srun --bcast` copies a program to each node, by default under a name of the moment
 * (JOURNAL_BCAST_COPY). The program is the one that was launched.
 */
#pragma once

#include <limits.h>

#include "submit/evidence/ledger_read.h"
#include "submit/job/journal_read.h"

/* Puts the launched program's name and path in place of its copy's, in `capture` and its ancestors:
 * real, or as srun was given it where this node has no such file. They point into `path`. To be
 * called as the job's user; evidence is compared with the copy's path before. A NULL `journal` has
 * launched nothing. */
void broadcast_name(const struct journal *journal, struct capture *capture, char path[PATH_MAX]);
