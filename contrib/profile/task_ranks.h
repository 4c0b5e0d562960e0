/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which processes of a node are a rank together.
 */
#pragma once

#include "contrib/profile/profile_read.h"

/* A rank is a task of Slurm's with all its processes. Below a launcher that is in a task itself,
 * like mpirun, a task has several ranks: those that the processes tell. What tells none there, as
 * the programs that a batch script runs before and after mpirun, and mpirun's daemons, is apart: a
 * rank of its own for each executable. Where the task has one such rank alone, and is no script of
 * a job's, a process that tells none is that rank's, unless it is the task itself, from which the
 * rank was started. */
struct task_process {
    struct profiled_process *process;
    const char *apart; /* its executable, where it is apart; else NULL */
};

/* Sets `*sorted`, the caller's, to the processes of the content: those of a rank in a row, one that
 * tells its number last, if any does. Returns 0 or -ENOMEM. */
int task_ranks_sort(struct profile_content *content, struct task_process **sorted);

/* Whether two that follow each other are of one rank. */
bool task_ranks_are_same(const struct task_process *a, const struct task_process *b);
