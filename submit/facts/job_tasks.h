/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tasks that Slurm launched on this node, with what captures tell of them. The task of the
 * extern step is Slurm's own process and not the user's; a task without a step's line began while
 * the site had switched jobtrail off: neither is among them.
 */
#ifndef JOBTRAIL_JOB_TASKS_H
#define JOBTRAIL_JOB_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/job/journal_read.h"

/* The captures of a task: the last kind counts. */
enum job_task_seen {
    JOB_TASK_UNSEEN,  /* none */
    JOB_TASK_WRAPPER, /* of shells, launchers and wrappers (program_name.h) alone */
    JOB_TASK_RUNTIME, /* of a container's runtime, too */
    JOB_TASK_PROGRAM, /* of another program */
};

struct job_task {
    const struct journal_task *task;
    const struct journal_step *step;
    const struct journal_program *launched; /* NULL: unknown */
    uint32_t leader;                        /* JOURNAL_NONE: unknown */
    enum job_task_seen seen;
    bool is_launched;    /* the last program in it is what Slurm launched, or a wrapper's */
    bool is_program;     /* the last that is known of the task's own process is such a program */
    uint64_t program_ns; /* when the first program in it began; 0: there was none */
    uint64_t alive_ns;   /* the last time at which the task is known to have lived */
};

struct job_tasks {
    struct job_task *task; /* owned; sorted by step and task */
    size_t count;
};

/* Nothing is seen of them yet. Returns 0 or -ENOMEM; job_tasks_free() releases. The journal must
 * outlive them. */
int job_tasks_make(const struct journal *journal, struct job_tasks *tasks);

/* The index of a task; of several with the same number the one whose process is `pid`. SIZE_MAX:
 * there is none. */
size_t job_tasks_find(const struct job_tasks *tasks, uint32_t step, uint32_t task, int32_t pid);

/* Whether another task of the same program is to record for it, unless it was seen itself. */
bool job_task_follows(const struct job_task *task);

void job_tasks_free(struct job_tasks *tasks);

#endif
