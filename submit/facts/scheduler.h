/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which batch system a run belongs to. For Slurm this is known from the journal, which is root's.
 * For PBS, SGE and LSF it is known from the process's environment alone: from the variables in
 * preload/fact_variables.h. These are believed where the site says that it has this system
 * ([site] scheduler): elsewhere they would be a user's claim in the place of a fact.
 */
#pragma once

#include "submit/evidence/ledger_read.h"
#include "submit/job/job_journal.h"

struct scheduler {
    const char *name; /* SLURM, SGE, PBS, LSF, or "unknown" */
    /* into the identity, the submit host or `text`; "unknown" where not known */
    const char *job_id, *queue, *account, *submit_host;
    uint32_t nodes; /* 1 where not known */
    char text[4][256];
};

/* `site`: [site] scheduler. `submit_host`: of a Slurm job, "" where unknown. `facts`:
 * capture.facts. What is found points into `*identity`, `submit_host` and `*scheduler`. */
void scheduler_find(uint32_t site, const struct job_identity *identity, const char *submit_host,
                    struct capture_bytes facts, struct scheduler *scheduler);

/* The number of threads that OMP_NUM_THREADS asks for; 1, as XALT has it, where it is not set or is
 * no number above 0. */
int scheduler_threads(struct capture_bytes facts);
