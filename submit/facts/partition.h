/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Divides what Slurm allocated to a job on one node, its CPUs times the time, so that each CPU
 * second is counted exactly once:
 *
 *     programs + uncertain + unseen + idle = CPUs x (end - start - pauses)
 *
 * At each moment a step holds its cores, whether tasks of it live or not. A core that several steps
 * hold is shared equally by them. A step whose cores are not known holds `cpus` CPUs that no other
 * step holds; where the steps hold more than is allocated, each has less, in proportion. What no
 * step holds belongs to the batch (or interactive) step while its task lives.
 *
 * A step's share is divided equally by those of its tasks on the node that live then. A task that
 * may live counts as one that lives: the others have less, so that what they have is sure. A task's
 * share goes to
 *
 *   - programs: the innermost runs of the task that are known to live then, in proportion to
 *     `ranks`. A run hides those that it descends from, whether the runs between them live or not.
 *     A task that follows a leader has its share as a follower's, whatever its runs are;
 *   - uncertain: where no run is known to live, but one may (between min_ns and max_ns), and while
 *     the task itself only may live;
 *   - the runtime of a container, where it is one of the innermost runs that are known to live;
 *   - unseen: the rest of a task's share. Wrappers alone leave a task unseen.
 *
 * Idle is what no living task has: CPUs that no step holds, and those of a step none of whose
 * tasks lives. While job steps live on the node, the unseen share of a batch task is idle too: its
 * script waits for them.
 *
 * Times are nanoseconds since the Epoch. Of a run, what lies outside of its task's time is cut off;
 * of a task, what lies outside of its step's; of a step, what lies outside of [start_ns, end_ns].
 * What ends before it starts is not known to have lived. Days are counted from 0; midnights[i]
 * begins day i + 1. Steps, tasks and runs may have any order.
 *
 * One sweep over the sorted events. With n steps, tasks and runs, and steps that hold c cores, it
 * takes O(n (log n + c)) time at the most, and O(n) memory, whatever the runs say of their parents;
 * and as many steps and as much memory as there are shares of days. It computes in integers (see
 * cpu_ticks.h): sums lose at most 2^-32 ns for each rank and event, and what steps have of shared
 * cores 2^-43 of a core each. That is then idle.
 */
#pragma once

#include "submit/facts/partition_input.h"

struct partition; /* owned */

/* Divides. Returns 0, -ENOMEM, or -EINVAL where an index is none, pauses or midnights are not in
 * order, or there are more than PARTITION_CPUS_MAX CPUs or PARTITION_COUNT_MAX steps, tasks or
 * runs. partition_free() releases `*partition`, written only on success; it does not refer to
 * `input`. */
int partition_make(const struct partition_input *input, struct partition **partition);

/* Core seconds of a run that are sure. None of a run that is not a PROGRAM. */
struct partition_shares partition_of_run(const struct partition *partition, size_t run);

/* Core seconds that the run can have had at the most: those that are sure, and all that the run's
 * task had, programs or not, while the run may have lived. 0 for what is not a PROGRAM, and in a
 * task that follows. */
double partition_most_of_run(const struct partition *partition, size_t run);

/* A part of a task's share. */
struct partition_shares partition_of_task(const struct partition *partition, size_t task,
                                          enum partition_part part);

/* Core seconds of the idle CPUs. */
struct partition_shares partition_idle(const struct partition *partition);

/* CPUs x (end - start - pauses). */
struct partition_shares partition_allocation(const struct partition *partition);

void partition_free(struct partition *partition);
