/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The start of a job on a node, before its first step there, as root, in the process that Slurm
 * starts for it.
 */
#ifndef JOBTRAIL_PROLOG_H
#define JOBTRAIL_PROLOG_H

#include <stdint.h>
#include <sys/types.h>

#include "spank/settings.h"

/* Makes the job's spool directory and starts its journal with what the credential says, so that it
 * is known also where no epilog ever runs. Tells nobody where that fails: each step's start uses
 * the same directory and says so, the epilog adds the credential again, and a job of which no step
 * starts on this node has nothing to record here. */
void prolog_note(const struct settings *settings, uint32_t job, uid_t uid, gid_t gid);

/* Whether the journal in the directory open at `spool` begins with what prolog_note() wrote:
 * SPANK's prolog was called for this run, and so its epilog will be. */
int prolog_was_noted(int spool);

#endif
