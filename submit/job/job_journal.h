/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The journal that root wrote of a job on one node (spank/journal.h), as facts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- Whose job it is ------------------------------------------------------------------------- */

/* Whose records these are: a user, their job on one node, and how Slurm accounts for it. All of it
 * comes from root: from a job's journal, or, outside of Slurm, the owner of a session's files. */

struct job_identity {
    uint32_t job, restart;          /* job 0: of no Slurm job */
    uint32_t array_job, array_task; /* JOURNAL_NONE: of no array */
    uint32_t het_job;               /* JOURNAL_NONE: of no heterogeneous job */
    uid_t uid;                      /* -1: unknown */
    gid_t gid;                      /* -1: unknown */
    /* Owned, never NULL; "" where unknown. `node` is named as Slurm does. */
    char *user, *account, *partition, *qos, *cluster, *node;
};

/* Nobody's: no job, no ids, all texts "". Returns 0 or -ENOMEM; job_identity_free() is to be called
 * in both cases. */
int job_identity_start(struct job_identity *identity);

/* Whether the user's name is one: "nobody" is what Slurm says of a user the node cannot name. */
bool job_identity_is_named(const struct job_identity *identity);

/* Fills in the user's name by the uid, where it is none yet: the account's, or the number. Returns
 * 0 or -ENOMEM. */
int job_identity_name_user(struct job_identity *identity);

/* That of a user outside of Slurm on this node: with the name and group of the account of `uid`, or
 * with the number and `gid` where there is no such account. Returns 0 or -ENOMEM;
 * job_identity_free() releases `*identity`, which is only written on success. */
int job_identity_of_user(uid_t uid, gid_t gid, const char *node, struct job_identity *identity);

/* Takes one that is all zero, too. */
void job_identity_free(struct job_identity *identity);

/* ---- Sets of cores --------------------------------------------------------------------------- */

/* A set of a node's cores, as Slurm lists them: "0-3,8". */

/* Cores are numbered from 0 to CORE_SET_MAX - 1. */
enum { CORE_SET_MAX = 4096 };

struct core_set {
    uint64_t *words; /* owned; bit N % 64 of words[N / 64] is core N. NULL: not known */
    size_t word_count;
    uint32_t count; /* of cores in it; 0: not known */
};

/* The set of a list: numbers and ranges with commas between, each core once or more often. Any
 * other text, also "" and NULL, is not known: `*set` is then empty. Returns 0 or -ENOMEM.
 * core_set_free() releases. */
int core_set_parse(const char *text, struct core_set *set);

void core_set_free(struct core_set *set);

/* ---- Journals -------------------------------------------------------------------------------- */

/* An index of an array by a number that each entry has; the entries added last are found first.
 * Jobs have tens of thousands of steps. Entries are counted from 1; 0 is none. */
struct journal_index {
    uint32_t *slots; /* owned; of each bucket, then of each entry, the next one. NULL: not made */
    uint32_t mask;   /* buckets - 1, and the most entries */
};

typedef uint32_t journal_key_of(const void *array, size_t i);

/* Adds the `count`th entry of an array, of which the others are in the index; key_of() returns the
 * number of an entry, counted from 0. Returns 0 or -ENOMEM. */
int journal_index_add(struct journal_index *index, size_t count, journal_key_of *key_of,
                      const void *array);

/* The last one of `count` entries that may have the number: the caller must compare. Without an
 * index, the last entry. */
uint32_t journal_index_first(const struct journal_index *index, size_t count, uint32_t key);

/* The one before `entry` that may; 0: none. */
uint32_t journal_index_next(const struct journal_index *index, uint32_t entry);

void journal_index_free(struct journal_index *index);

/* A text that programs or tasks share: those of one step mostly have the same. */
struct journal_shared_text {
    struct journal_shared_text *next;
    size_t size, length; /* of the whole text, and of what is there of it */
    char text[];
};

struct journal_step {
    uint32_t step;
    uint32_t nodes, node_id, tasks, cpus_per_task;
    uint32_t local_tasks;  /* of them here; 0: unknown */
    uint32_t cpus;         /* of the step here, as Slurm counts them (spank/journal.h) */
    uint64_t memory_mib;   /* that Slurm gives it here; 0: no bound, or unknown */
    struct core_set cores; /* of this node that it holds; owned */
    int32_t pid;           /* of the step's daemon; 0: unknown */
    uint64_t ticks;        /* its start, clock ticks since boot */
    uint64_t name_space;   /* inode of the pid namespace of its pid and its tasks'; 0: unknown */
    uint64_t start_ns;
    uint64_t end_ns;    /* 0: not over, or unknown */
    uint64_t end_up_ns; /* the same since boot */
    /* What bounds the end of the next task that its daemon sees end. */
    uint64_t look_ns;       /* when the daemon dealt with one of its tasks last; 0: not yet */
    uint64_t dead_since_ns; /* the earliest at which a task may have ended that was not seen then */
    uint64_t busy_ns;       /* of the daemon's `thread` then (spank/journal.h); 0: unknown */
    uint32_t thread;
    struct journal_shared_text *library_path, *preload; /* of lines `variable`; NULL: none */
    char profile_ranks[64]; /* of which files are to be kept, as its user said; "": all */
    bool opted_out;         /* its user said --jobtrail=no */
    bool container;         /* srun was given --container */
    bool no_ledger;         /* its tasks had no ledger */
};

struct journal_task {
    uint32_t step, task;
    int32_t pid;
    uint64_t ticks; /* start, clock ticks since boot */
    uint64_t start_ns;
    uint64_t end_ns;     /* before any task epilog; 0: Slurm has not waited for it */
    uint64_t max_ns;     /* when slurmstepd reported it, after the task epilogs: it ended before */
    uint64_t max_up_ns;  /* the same since boot; 0: unknown */
    uint64_t error_ns;   /* how much earlier than end_ns it may have ended; UINT64_MAX: unknown */
    uint64_t work_ns;    /* how long slurmstepd may have worked until it saw the end; as error_ns */
    int status;          /* as wait(2) gives it, where end_ns is not 0 */
    uint64_t program_ns; /* it executed no program after that; 0: unknown */
    bool has_no_program; /* it ended before it had executed one; false: it has, or unknown */
    const char *library_path, *preload; /* of its step, told with some exit codes; NULL: unknown */
};

/* What a task was to run, as its user named it. */
struct journal_program {
    uint32_t step, task;
    uint32_t leader;                 /* the first task of the same program; JOURNAL_NONE: unknown */
    const char *path, *cwd, *search; /* NULL: unknown */
    const char *copy; /* of the program on this node, but for _NODE at its end; NULL: none */
};

/* A time in which the job was suspended on this node, as the process watch saw it. Without
 * spool_job.h the end of one that the process watch did not see end is the start. */
struct journal_pause {
    uint64_t may_start_ns, start_ns; /* it began between these */
    uint64_t end_ns, may_end_ns;     /* it ended between these; UINT64_MAX: not known */
};

/* The most memory for steps, tasks and programs of a journal, bytes. Those beyond it count as bad
 * lines; ends are still read. A journal that the plugin writes stays below it (JOURNAL_BYTES). */
#define JOURNAL_FACTS_MAX (UINT64_C(128) << 20)

struct journal {
    struct job_identity identity; /* owned */
    uint32_t nodes;               /* of the job; 0: unknown */
    uint32_t cpus;                /* of the job; 0: unknown */
    uint32_t node_cpus;           /* allocated to the job on this node; 0: unknown */
    struct core_set cores;        /* of this node that the job holds; owned */
    bool has_whole_cores;         /* Slurm accounts for all threads of these */
    uint32_t gpus;                /* of the job on this node */
    bool freezes;                 /* Slurm tracks and suspends its processes by cgroups */
    bool has_opted_out;           /* a user said so of any of the steps */
    char *boot, *submit_host;     /* owned, never NULL; "" where unknown */
    uint64_t last_ns;             /* of the youngest line */
    bool has_restart;             /* told by the site's Prolog script, so that no step's counts */
    uint64_t start_ns;            /* of the job, as Slurm says there or in the epilog; 0: unknown */
    uint64_t prolog_ns;           /* 0: the prolog has not run */
    uint64_t epilog_ns; /* 0: the epilog has not run; spool_job_journal() may find its time */
    uint64_t reboot_ns; /* left 0; see spool_job_journal() */
    struct journal_pause *pauses; /* owned; ascending and disjoint, JOURNAL_PAUSES_MAX or fewer */
    size_t pause_count;
    bool is_clock_known;   /* whether two lines or more tell clock_step_ns */
    int64_t clock_step_ns; /* by which the real clock was set between the first and the last line;
                              below 1 ms it may be the time between two readings */
    uint64_t up_ns, apart_ns;   /* the greatest `up`; real clock less `up` in the first line */
    struct journal_step *steps; /* owned */
    size_t step_count;
    struct journal_task *tasks; /* owned */
    size_t task_count;
    struct journal_program *programs; /* owned */
    bool has_copies;                  /* some have a copy */
    size_t program_count;
    struct journal_shared_text *texts;           /* owned: the programs' and the tasks' */
    const char *library_path, *preload;          /* of the last task that has any; NULL: none */
    struct journal_index step_index, task_index; /* by step and by pid; may be empty */
    uint64_t facts_bytes;                        /* that steps, tasks and programs take, about */
    size_t bad_lines;
    uint64_t left_out; /* lines for which the journal had no room; see spool_job_journal() */
};

const struct journal_step *journal_find_step(const struct journal *journal, uint32_t step);

/* Whether pids of this namespace, the inode that a capture of the step has (0: the task's), are
 * those that the step's daemon, and so the kernel witness, knows: a process that has lost its
 * ancestors names its namespace, whichever it is. */
bool journal_knows_pids(const struct journal *journal, uint32_t step, uint64_t name_space);

/* The task that was started as this process, or NULL. */
const struct journal_task *journal_find_task(const struct journal *journal, int32_t pid,
                                             uint64_t ticks);
