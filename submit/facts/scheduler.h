/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which batch system a run belongs to. Slurm's facts are root's (the journal); those of others, and
 * there only, are what the process's environment says, in the variables that XALT looks at
 * (translate.c of XALT 3): SGE, PBS and LSF.
 */
#ifndef JOBTRAIL_SCHEDULER_H
#define JOBTRAIL_SCHEDULER_H

#include "submit/evidence/ledger_read.h"
#include "submit/job/job_identity.h"

struct scheduler {
    const char *name; /* SLURM, SGE, PBS, LSF, or "unknown" */
    /* "unknown" where nothing tells; into the identity, the submit host or `text` */
    const char *job_id, *queue, *account, *submit_host;
    uint32_t nodes; /* 1 where nothing tells */
    char text[4][256];
};

/* `submit_host`: of a Slurm job, "" where unknown. `env`: NAME=VALUE, each ended by NUL. What is
 * found points into `*identity`, `submit_host` and `*scheduler`. */
void scheduler_find(const struct job_identity *identity, const char *submit_host,
                    struct capture_bytes env, struct scheduler *scheduler);

#endif
