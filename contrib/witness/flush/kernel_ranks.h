/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs that only the kernel reported (kernel_run.h) are ranks of one parallel program: in a
 * step of several tasks, those of the same path in different tasks. Of what Slurm launched itself
 * the leader records for all, which may be on another node, as rank 0 does where the library is. Of
 * what a script or a wrapper has started there the lowest task of each node records for those of
 * that node. The others follow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/witness/facts/kernel_run.h"
#include "submit/facts/job_tasks.h"

struct kernel_rank {
    uint32_t step, task;
    const char *path; /* the notes' */
};

struct kernel_ranks {
    struct kernel_rank *rank; /* owned; sorted, each once */
    size_t count;
};

/* `run` is memory to work in. Returns 0 or -ENOMEM; kernel_ranks_free() releases. The source's
 * notes must outlive them. */
int kernel_ranks_make(const struct kernel_run_source *source, struct kernel_run *run,
                      struct kernel_ranks *ranks);
void kernel_ranks_free(struct kernel_ranks *ranks);

/* Its task, where Slurm has launched this program in it; otherwise NULL. `known` may be NULL. */
const struct job_task *kernel_ranks_launched(const struct job_tasks *tasks,
                                             const struct journal_task *known, const char *path);

/* Whether the run that kernel_run_find() has made of `noted` is to be recorded. Of one that Slurm
 * has not launched itself it sets the size to the tasks here that have the program. */
bool kernel_ranks_leads(const struct kernel_ranks *ranks, const struct kernel_run_source *source,
                        const struct job_tasks *tasks, const struct kernel_noted *noted,
                        struct kernel_run *run);
