/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The start of a job on a node, before its first step there, as root, in the process that Slurm
 * starts for it.
 */
#ifndef JOBTRAIL_PROLOG_H
#define JOBTRAIL_PROLOG_H

#include <stdint.h>
#include <sys/types.h>

#include "settings.h"

/* Makes the job's spool directory and starts its journal with what the credential says, so that it
 * is known also where no epilog ever runs. Returns 0 or -errno. */
int prolog_note(const struct settings *settings, uint32_t job, uid_t uid, gid_t gid);

#endif
