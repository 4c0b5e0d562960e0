/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which batch system a run belongs to. Slurm's facts are root's (the journal); those of others, and
 * there only, are what the process's environment says, in the variables that XALT looks at
 * (translate.c of XALT 3): SGE, PBS and LSF.
 */
#ifndef JOBTRAIL_SCHEDULER_H
#define JOBTRAIL_SCHEDULER_H

#include "journal_read.h"
#include "ledger_read.h"

struct scheduler {
    const char *name; /* SLURM, SGE, PBS, LSF, or "unknown" */
    char job_id[64], queue[128], account[128], submit_host[256]; /* "unknown" where nothing tells */
    uint32_t nodes;                                              /* 1 where nothing tells */
};

/* `env`: NAME=VALUE, each ended by NUL. A journal whose job is 0 is of no Slurm job. */
void scheduler_find(const struct journal *journal, struct capture_bytes env,
                    struct scheduler *scheduler);

#endif
