/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of the processes below a task that the kernel reported are ranks: those whose program is
 * neither a shell nor another starter of programs, and which the rules track.
 */
#pragma once

#include <stdbool.h>

#include "conf/policy/policy.h"
#include "contrib/witness/job/kernel_notes.h"

struct rank_processes {
    const struct kernel_notes *notes;
    const struct policy_header *policy;
    const struct kernel_noted **child; /* owned: all of them, by parent and by start */
    const struct kernel_noted **open;  /* owned: those that are to be looked at */
};

/* Called for each rank; it has the task's number, or none. A result other than 0 ends the search
 * and is returned. */
typedef int rank_take(void *context, const struct kernel_noted *noted, bool has_number);

/* Both must outlive `*processes`. Returns 0 or -ENOMEM; rank_processes_free() is to be called in
 * both cases. */
int rank_processes_make(const struct kernel_notes *notes, const struct policy_header *policy,
                        struct rank_processes *processes);
void rank_processes_free(struct rank_processes *processes);

/* Whether the children of the process are ranks, as those of mpirun or orted. */
bool rank_process_has_ranks(const struct kernel_noted *noted);

/* Whether it has ranks elsewhere, too: it is a daemon, or has started one by another launcher. */
bool rank_process_is_far(const struct rank_processes *processes, const struct kernel_noted *noted);

/* The rank of the task whose process is `task`; of a launcher, or its daemon, all that it has
 * started. */
int rank_processes_find(const struct rank_processes *processes, const struct kernel_noted *task,
                        rank_take *take, void *context);
