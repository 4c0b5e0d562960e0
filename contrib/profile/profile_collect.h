/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Collects what one node's file of profiles has, by ranks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "contrib/profile/profile_read.h"
#include "contrib/profile/profile_set.h"

/* When and how the run of a process ended. Times are nanoseconds since the boot of the file's
 * header: nobody sets that clock. */
struct collect_end {
    uint64_t ns;     /* the end; where it is not known, the last moment at which it was seen alive,
                        or where another program replaced it, when that one began; 0: none of
                        these; UINT64_MAX: it still ran when the file was read */
    uint64_t min_ns; /* where that is known: it did not end before */
    uint64_t max_ns; /* it had ended then; 0: not known */
    bool is_known;   /* `ns` is the end, as well as clocks and Slurm tell */
    uint32_t way;    /* enum profile_way */
    int status;      /* as wait(2) gives it, where the way says so */
};

/* A sample of a rank's. */
struct profile_sample {
    uint64_t ns;    /* since the Epoch */
    uint32_t stack; /* of the set */
    int32_t tid;
    uint32_t kind; /* enum profile_event_kind */
};

struct collect_facts {
    const char *node;
    uint32_t job;                   /* 0: not known */
    uint32_t step_nodes;            /* of the processes' step; 0: not known */
    const struct profile_pair *now; /* NULL: none of the file's boot */
    /* When the run of this process ended. NULL: of none is anything known. */
    struct collect_end (*end)(void *context, const struct profiled_process *process);
    /* The name of a function, at an address of the object's file; valid until the next call. The
     * object is NULL where it is not known. */
    const char *(*name)(void *context, const struct profiled_object *object, uint64_t address);
    /* Called for the samples of a process of the rank that is added next, whose number in the set
     * is set->rank_count; NULL: nobody asks. Returns 0 or -errno. */
    int (*sampled)(void *context, size_t rank, const struct profile_sample *samples, size_t count,
                   uint64_t interval_ns);
    /* Called for each process of the rank that is added next, likewise; NULL: nobody asks. */
    int (*taken)(void *context, size_t rank, const struct profiled_process *process);
    void *context;
};

/* Adds the ranks of the content, whose trees are finished by it. Returns 0 or -errno. */
int profile_collect(struct profile_content *content, const struct collect_facts *facts,
                    struct profile_set *set);
