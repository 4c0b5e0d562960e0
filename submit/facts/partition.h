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
#ifndef JOBTRAIL_PARTITION_H
#define JOBTRAIL_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PARTITION_CORES_MAX = 4096, /* further ones in `cores` are not read */
    PARTITION_CPUS_MAX = 1 << 20,
    PARTITION_COUNT_MAX = 1 << 29,
};

/* A time in which the job was suspended: nothing of it is allocated. */
struct partition_pause {
    uint64_t start_ns, end_ns;
};

struct partition_step {
    bool is_batch; /* the batch or interactive step: it has what no other step holds, and the
                      next three are not used. Several ones share it equally */
    uint32_t cpus; /* that it holds; used where `cores` is NULL */
    const uint64_t *cores; /* bit set of the node's cores that it holds; NULL: not known */
    size_t core_words;     /* of `cores` */
    uint64_t start_ns, end_ns;
};

struct partition_task {
    size_t step; /* index in `steps` */
    bool is_follower;
    uint64_t start_ns, end_ns;
    uint64_t max_ns; /* of a task whose end is not known: it may have lived until then, and end_ns
                        is the last moment at which it is known to have lived; else end_ns */
};

enum partition_kind {
    PARTITION_PROGRAM, /* has core time of its own */
    PARTITION_RUNTIME, /* of a container */
    PARTITION_WRAPPER, /* has none, and hides nothing */
};

struct partition_run {
    size_t task;   /* index in `tasks`; SIZE_MAX: not known, and then it has no core time */
    size_t parent; /* index in `runs` of the nearest run that it descends from; SIZE_MAX: none. A
                      circle, or a parent of another task, counts as none */
    enum partition_kind kind;
    uint32_t ranks; /* that it stands for on this node; 0 counts as 1 */
    uint64_t start_ns;
    uint64_t min_ns, max_ns; /* it ended between these; a max_ns before min_ns counts as min_ns */
};

struct partition_input {
    uint32_t cpus;  /* that Slurm allocated to the job on the node */
    uint32_t cores; /* how many of the node's cores these are; 0: not known, then a core is a CPU.
                       Where the steps hold more cores, as many as these are */
    uint64_t start_ns, end_ns;
    const struct partition_pause *pauses; /* sorted, disjoint */
    size_t pause_count;
    const uint64_t *midnights; /* sorted */
    size_t midnight_count;
    const struct partition_step *steps;
    size_t step_count;
    const struct partition_task *tasks;
    size_t task_count;
    const struct partition_run *runs;
    size_t run_count;
};

/* Core seconds on one day. */
struct partition_share {
    uint32_t day;
    double core_seconds;
};

/* Shares of one run, or of one task and kind: those that are not 0, by day. */
struct partition_shares {
    const struct partition_share *share; /* in the partition's memory */
    size_t count;
};

/* What became of a task's share, beside programs. */
enum partition_part {
    PARTITION_FOLLOWER,  /* of a follower */
    PARTITION_UNCERTAIN, /* only runs that may live could claim it, or the task itself may live */
    PARTITION_CONTAINER, /* the runtime of a container */
    PARTITION_UNSEEN,    /* nothing else lived, before, between or after the task's runs */
    PARTITION_PARTS
};

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

#endif
