/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What each run and each task of a job had of its allocation on this node: journal, captures and
 * stubs make the input of partition.h. It depends on nothing else, so that a flush that goes on
 * after another one comes to the same.
 *
 *   - The process watch sees that a job is suspended, and that it goes on, some time after it was.
 *     That it was suspended is sure only between its looks: that time is not allocated. Of the time
 *     before and after nobody knows; it is uncertain as a whole, and of no run or task.
 *   - The end of a run is its value where it was measured (ending.h), else it lies between bounds.
 *   - A run *leads* if it is the last program of the task's own process, the one that Slurm was to
 *     launch by its name or file (below a shell each rank may run another), and had nine tenths or
 *     more of what programs had in the task. Tasks that follow the task give it their shares.
 *   - A program in another pid namespace descends from its task's runtime of a container.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/facts/division_parts.h"
#include "submit/facts/ending.h"
#include "submit/facts/partition.h"

struct division; /* owned */

/* A run as what divides sees it. */
struct division_run {
    size_t task;         /* SIZE_MAX: unknown */
    bool is_program;     /* it is neither a shell, a wrapper nor a container's runtime */
    bool is_left_out;    /* by sampling: it has no record */
    bool is_passed_over; /* it has no record either */
    const char *program; /* path of a run that is left out; the division's */
    uint64_t start_ns;
};

enum division_how {
    DIVISION_LEFT_OUT = 1, /* by sampling: the path is kept */
    DIVISION_READS = 2,    /* files may be looked at, as the job's user */
    DIVISION_KERNELS = 4,  /* the kernel alone reported it */
};

/* All must outlive the division. Returns 0 or -ENOMEM; division_free() releases `*division`. */
int division_new(const struct division_source *source, struct division **division);

/* Adds the next run. `capture` NULL: it cannot be read. `how`: of enum division_how. Returns 0 or
 * -ENOMEM. */
int division_add(struct division *division, const struct capture *capture,
                 const struct ending *ending, unsigned how);

/* The run that was added last gets no record, as it has ended its readers. */
void division_pass_over(struct division *division);

/* Divides, when all have been added. Returns 0, -ENOMEM, or -EINVAL where the job is larger than
 * partition.h can divide. What follows is asked after that. */
int division_make(struct division *division);

size_t division_run_count(const struct division *division);
struct division_run division_run(const struct division *division, size_t run);

/* What the run had, with the tasks that follow its own where it leads. Valid until the division is
 * asked for another one. */
struct allocation_run division_had(struct division *division, size_t run);

/* The same of a task whose program is static: what was not seen of it is the program's. */
struct allocation_run division_static_had(struct division *division, size_t task);

/* The run of a task that leads; SIZE_MAX: none. */
size_t division_leading(const struct division *division, size_t task);

/* The task on this node that this one, a follower, follows; SIZE_MAX: it is not here. */
size_t division_followed(const struct division *division, size_t task);

struct partition_shares division_of_run(const struct division *division, size_t run);
struct partition_shares division_of_task(const struct division *division, size_t task,
                                         enum partition_part part);
struct partition_shares division_idle(const struct division *division);

/* CPU seconds in which the job may have been suspended. */
struct partition_shares division_maybe_suspended(const struct division *division);

/* The day of a time, and the date of a day. */
uint32_t division_day(const struct division *division, uint64_t time_ns);
const char *division_date(const struct division *division, uint32_t day);

void division_free(struct division *division);
