/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tasks that Slurm launched on this node, with what captures tell of them. The task of the
 * extern step is Slurm's own process and not the user's; a task without a step's line began while
 * the site had switched jobtrail off: neither is among them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/days.h"
#include "submit/job/journal_read.h"

/* ---- What Slurm allocated to a job ----------------------------------------------------------- */

/* What Slurm allocated to a job on this node, by the journal; and what a run had of it. Root and
 * the reader of the user's files make the same of the same journal. */

struct job_allocation {
    uint32_t cpus;             /* 0: not known */
    uint64_t start_ns, end_ns; /* since the Epoch */
    const char *start_source;  /* "slurm"; "prolog"; "step": the first line of a step */
    const char *end_source;    /* "epilog"; "reboot"; "flush": it is not known to have ended */
    uint64_t suspended_ns;     /* nothing of it was allocated then, as far as that is sure */
    double core_seconds;       /* cpus x (end - start - suspended) */
    bool is_clock_known;
    double clock_step; /* s by which the clock was set meanwhile, where that is known */
    uint32_t tasks;    /* that the journal has */
};

/* Core seconds on one day. */
struct allocation_day {
    char date[DAYS_TEXT_SIZE];
    double core_seconds;
};

/* What a run had of the allocation. */
struct allocation_run {
    double core_seconds;              /* that no other run had */
    double most;                      /* that it can have had */
    const struct allocation_day *day; /* those of core_seconds */
    size_t day_count;
    bool leads; /* it stands for the tasks that follow its own */
};

/* `now_ns`: the end of a job of which the journal has no end. */
struct job_allocation job_allocation_find(const struct journal *journal, uint64_t now_ns);

/* How many runs there can have been at the most: starting one takes more than 0.1 ms of a CPU. Not
 * more than UINT32_MAX. */
uint64_t job_allocation_most_runs(const struct job_allocation *allocation);

/* The part of `[start_ns, end_ns]` that is in the allocation; false: none. */
bool job_allocation_clip(const struct job_allocation *allocation, uint64_t *start_ns,
                         uint64_t *end_ns);

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
