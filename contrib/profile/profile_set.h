/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Profiles of ranks, of one node or several: each stack is there once, for all ranks, and each
 * table of times is, however many ranks have an equal one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "contrib/profile/call_tree.h"

/* Texts that get a number, each once: 0, 1, 2, ... in the order in which they come. */
struct name_table {
    char **text; /* owned */
    size_t count;
    void *tree; /* tsearch(3) */
};

/* Sets `*number`. Returns 0 or -ENOMEM. */
int name_table_add(struct name_table *names, const char *text, uint32_t *number);

/* Stack 0 is that in which threads begin, "init"; others have a caller. stacks.key[i].parent is the
 * caller's number, which is smaller; stacks.key[i].what the number of the function's name. */
enum { PROFILE_SET_INIT = 0 };

/* What a rank did in one stack, in all its processes and threads. Times are nanoseconds, and those
 * of threads are added. Exclusive time is inclusive minus that of the stacks called from here; it
 * is never negative. */
struct set_entry {
    uint64_t calls : 63;
    uint64_t is_light : 1; /* some calls are counted, and not timed: their time is the caller's */
    uint64_t inclusive_ns;
    uint64_t largest_ns; /* of one call */
    uint32_t stack;
    uint32_t depth; /* so many of its calls were open within each other; those that it calls itself
                       have no stacks of their own */
} __attribute__((packed, aligned(4)));

/* Entries in the order of their stacks, which are smaller than the set's count; the caller of each
 * is there too. */
struct set_table {
    struct set_entry *entry; /* owned */
    size_t count;
};

/* What a rank did in one routine of MPI or of a designated library, in all its processes and
 * threads. */
struct profile_routine_entry {
    uint32_t rank;       /* which of the set's */
    uint32_t name;       /* number of the routine's name */
    uint64_t calls;      /* begun; 0: none could be counted (PROFILE_ROUTINE_MISSED) */
    uint64_t ns;         /* of calls that have ended, and open ones until the end; without that in
                            counted routines that were called from there */
    uint64_t largest_ns; /* of one call, with that */
    uint64_t bytes;      /* as the arguments of the `sized` calls say */
    uint64_t sized;
    uint64_t open;          /* calls that were open at the end */
    uint64_t open_since_ns; /* the first of these, since the Epoch; 0: there is none */
    uint32_t flags;         /* enum profile_routine_flag (profile_file.h) */
    uint32_t unused;        /* 0 */
};

enum profile_rank_flag {
    PROFILE_RANK_LIGHT = 1,        /* short calls may be counted alone */
    PROFILE_RANK_COARSE = 2,       /* times are those of a clock that advances by milliseconds */
    PROFILE_RANK_ENDED = 4,        /* its processes reached their exit handlers */
    PROFILE_RANK_END_KNOWN = 8,    /* `end_ns` is when it ended; else it lived so long at least */
    PROFILE_RANK_UNTIMED = 16,     /* the counter's speed is not known: no times */
    PROFILE_RANK_WHERE_TIMED = 32, /* `where_ns` is from the start of the call; else that is not
                                      known */
    PROFILE_RANK_CONFINED = 64,    /* a process of it entered a sandbox: nothing after that is
                                      counted of it */
    PROFILE_RANK_HOOKED = 128,     /* the program's own hooks are called: it has no stacks */
};

/* How a process ended that did not reach its exit handlers, or not MPI_Finalize(). */
enum profile_way {
    PROFILE_WAY_NONE,   /* nobody has looked: it may still run */
    PROFILE_WAY_EXEC,   /* another program replaced it */
    PROFILE_WAY_EXITED, /* without its exit handlers, with a status */
    PROFILE_WAY_LEFT,   /* by its exit handlers, without MPI_Finalize(); with a status, if known */
    PROFILE_WAY_RUNS,   /* it has outlived its job */
    PROFILE_WAY_UNSEEN, /* it has ended, and nothing tells how */
    PROFILE_WAY_SIGNALED, /* killed by a signal */
    PROFILE_WAY_ABORTED,  /* it called MPI_Abort(), whatever ended it then */
    PROFILE_WAYS
};

enum { PROFILE_NODE_NAME = 64 };

/* What is known of one rank (task_ranks.h), all its processes. */
struct profile_rank {
    char node[PROFILE_NODE_NAME];
    uint32_t step, task; /* UINT32_MAX: not known */
    uint32_t rank, size; /* of the MPI program, as the process says; size 0: not known */
    uint32_t table;      /* which one is its own */
    uint32_t flags;      /* enum profile_rank_flag */
    int32_t pid;         /* of its first process */
    uint32_t where;      /* the innermost stack in which its main thread, or a thread, was at the
                            end; PROFILE_SET_INIT: in none */
    uint64_t where_ns;   /* for so long, until its end, or where that is not known at least */
    uint64_t program;    /* the same for all ranks of an MPI program, also in several steps; 0: not
                            known */
    uint32_t step_nodes; /* so many nodes the step has; 0: not known */
    uint32_t job;        /* Slurm's number; 0: not known */
    uint32_t executable; /* of its first process that called MPI, or where none did of the first
                            one: the number of the path's name, plus 1; 0: not known */
    uint32_t way;        /* enum profile_way: of the process that `where` is of */
    int32_t status;      /* of the same, as wait(2) gives it, where it exited or was signaled; below
                            0: not known */
    int32_t end_pid;     /* of the same; 0: all reached MPI_Finalize() and their exit handlers */
    uint64_t begin_ns, end_ns; /* since the Epoch */
    uint64_t end_at_ns;        /* when the calls of the process `end_pid` were ended */
    uint64_t end_min_ns;       /* the process `end_pid` did not end before, since the Epoch */
    uint64_t end_max_ns;       /* it had ended then; UINT64_MAX: not known */
    uint64_t processes, threads;
    uint64_t lost_calls;  /* that found no room */
    uint64_t dead_frames; /* calls whose exit never came */
    uint64_t stray_exits; /* exits of calls that had no frame */
    uint64_t clipped;     /* stacks whose callees took longer than they themselves */
    uint64_t callers;     /* threads at a time that called routines; 0: none was counted */
    uint64_t called_ns;   /* how long the processes ran, for each of these threads */
    uint64_t lost_times;  /* calls of routines that are counted and not timed */
    uint64_t missed;      /* routines of designated libraries, and such libraries, whose calls could
                             not be counted */
    uint64_t missed_mpi;  /* the same of MPI */
};

struct profile_set {
    struct name_table names;
    struct child_index stacks;
    uint64_t *hash; /* owned; of each stack's text (set_order.h); 0, or none there: not known */
    size_t hash_count, hash_room;
    struct set_table *tables; /* owned */
    size_t table_count;
    struct profile_rank *ranks; /* owned */
    size_t rank_count;
    struct profile_routine_entry *routines; /* owned; a rank's in a row */
    size_t routine_count, routine_room;
    struct child_index sums; /* of what tables hold */
    uint32_t *table_of_sum;  /* owned */
    uint64_t damaged;        /* parts of the files that were not valid */
};

/* Makes the stack "init". Returns 0 or -ENOMEM; profile_set_free() releases, in every case. */
int profile_set_begin(struct profile_set *set);
void profile_set_free(struct profile_set *set);

/* Sets `*stack` to the number of a function called from `caller`. Returns 0 or -errno as
 * child_index_add(). */
int profile_set_stack(struct profile_set *set, uint32_t caller, uint32_t name, uint32_t *stack);

/* Adds a rank with its table, which becomes the set's, or is freed where there is an equal one; in
 * case of an error too. Returns 0 or -ENOMEM. */
int profile_set_add(struct profile_set *set, const struct profile_rank *rank,
                    struct set_table table);

/* Adds a rank that has the same table as another one, by its number. */
int profile_set_add_equal(struct profile_set *set, const struct profile_rank *rank, uint32_t table);

/* Makes room for a hash of each stack: 0, until it is known. Returns 0 or -ENOMEM. */
int profile_set_hashes(struct profile_set *set);

/* Exclusive times of a table, for each entry. `room` has set->stacks.count zeros, and has zeros
 * again afterwards. */
void profile_set_exclusive(const struct profile_set *set, const struct set_table *table,
                           uint64_t *room, uint64_t *exclusive_ns);

/* The number by which people know it: that of the MPI program, or where it is none of several, of
 * the task. */
static inline uint32_t profile_rank_number(const struct profile_rank *rank)
{
    return rank->size > 1 || rank->task == UINT32_MAX ? rank->rank : rank->task;
}

/* Sets `*order` to the numbers of all ranks in the set, by profile_rank_number(): the caller's.
 * Ranks of one number are in the set's order. Returns 0 or -ENOMEM. */
int profile_set_rank_order(const struct profile_set *set, size_t **order);

/* Leaves out ranks that are there before: the same processes, as of a file that was read twice.
 * Sets `*repeated` to how many. Returns 0 or -ENOMEM. */
int profile_set_drop_repeated(struct profile_set *set, size_t *repeated);

/* Adds all that another set has. It is changed, and empty afterwards. Returns 0 or -errno. */
int profile_set_merge(struct profile_set *set, struct profile_set *other);
