/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes of jobs that are older than the listener, by one walk over /proc.
 */
#ifndef JOBTRAIL_KERNEL_WALK_H
#define JOBTRAIL_KERNEL_WALK_H

#include <stdbool.h>

#include "contrib/witness/kernel_processes.h"
#include "contrib/witness/witness_jobs.h"

/* Gives each process to `processes` that has an ancestor there, as the daemon of a step, or that,
 * or an ancestor, is in a cgroup of one of the jobs: it may have lost its ancestors. Returns 0 or
 * -errno. */
int kernel_walk(const struct witness_jobs *jobs, struct kernel_processes *processes);

/* Whether the process `pid` that started so long after boot still lives. */
bool kernel_walk_is_alive(int32_t pid, uint64_t start_ns);

#endif
