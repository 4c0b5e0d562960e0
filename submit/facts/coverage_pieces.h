/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the facts of coverage.h of pieces: what one task or one run had on one day.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- What coverage consists of --------------------------------------------------------------- */

/* What coverage (coverage.h) consists of. */

enum coverage_outcome {
    COVERAGE_EXCLUDED,  /* the site skips the job's partition or account */
    COVERAGE_OPTED_OUT, /* the user said --jobtrail=no */
    COVERAGE_RECORDED,  /* of runs with records, and of the tasks for which one stands */
    COVERAGE_CONTAINER, /* it ran in a container without the library */
    COVERAGE_FOLLOWER,  /* another task of the same program records for it */
    COVERAGE_LAUNCH,    /* before, between or after the programs of a task's own process */
    COVERAGE_SCRIPT,    /* below a shell or wrapper, a batch script's too: nothing that is known */
    COVERAGE_MISSING,   /* the program could not be found */
    COVERAGE_LAUNCHER,  /* a daemon of mpirun's: the record of rank 0 covers its ranks */
    COVERAGE_POLICY,    /* the site's rules or switches leave the program out */
    COVERAGE_STATIC,    /* no dynamic loader: its record is made from the journal */
    COVERAGE_SETUID,    /* set-user-id or the like: the loader ignores LD_PRELOAD */
    COVERAGE_SPOOL,     /* there was no room, or no ledger */
    COVERAGE_SAMPLED,   /* of runs that sampling left out */
    COVERAGE_NOT_STARTED, /* ended before its loader was done: its record is made likewise */
    COVERAGE_KILLED,      /* killed by a signal without a capture: before its program had started */
    COVERAGE_UNKNOWN,     /* none of these; for example, LD_PRELOAD was unset */
    COVERAGE_UNCERTAIN,   /* only what may have ended before could have had it */
    COVERAGE_IDLE,        /* no task had it */
};

struct coverage_fact {
    enum coverage_outcome outcome;
    uint32_t step;       /* JOURNAL_NONE: none */
    uint32_t leader;     /* the task that records for these; JOURNAL_NONE: unknown */
    uint32_t first_task; /* the lowest of their numbers; 0 where there is none */
    uint32_t tasks;      /* each task is in one of its facts: where it had most (but see
                            coverage_pieces.h), on the first day */
    uint32_t runs;       /* of programs, those of `sampled` of anything; on the day they began */
    uint32_t day;        /* from the first one of the allocation */
    const char *date;    /* of the day; the division's */
    double core_seconds;
    uint64_t start_ns,
        end_ns; /* since the Epoch: of the first task's start and the last known end of one */
    const char *program; /* the coverage's or the division's; NULL: unknown, or of a task that is
                            not to be recorded. Of a run that was left out: its own */
};

/* A task of which a record is made without a capture: its program is static, or has not started. */
struct coverage_uncaptured {
    const struct journal_task *task; /* in the journal */
    size_t index;                    /* of the same in the job's tasks */
    const char *program;             /* the coverage's */
    const char *library;  /* likewise: its loader did not find it, or found it too old only;
                             NULL: none, or unknown */
    double probability;   /* with which it is kept */
    bool is_left_out;     /* by sampling */
    bool has_not_started; /* never left out */
};

struct coverage_piece {
    enum coverage_outcome outcome;
    uint32_t step, leader;     /* JOURNAL_NONE: none */
    uint32_t task;             /* its number */
    size_t index;              /* of the task; SIZE_MAX: of none */
    uint32_t day, runs, tasks; /* tasks: left 0 */
    double core_seconds;
    uint64_t start_ns, end_ns;
    const char *program; /* NULL: unknown */
};

struct coverage_pieces {
    struct coverage_piece *piece; /* owned */
    size_t count;
    bool failed; /* out of memory */
};

/* That there is no memory is returned by coverage_pieces_join(). */
void coverage_pieces_add(struct coverage_pieces *pieces, const struct coverage_piece *piece);

/* Counts each task in the piece of its first day with the outcome that had most of it, but not
 * LAUNCH where it has another one. UNCERTAIN time counts there for an outcome of runs. Makes a fact
 * of all pieces with the same step, outcome, leader, program and day. Those without time, tasks and
 * runs are left out. Returns 0 or -ENOMEM; the facts are the caller's. */
int coverage_pieces_join(struct coverage_pieces *pieces, struct coverage_fact **facts,
                         size_t *count);
