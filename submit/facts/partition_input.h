/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input of a partition (partition.h), and the shares that it gives.
 */
#pragma once

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
