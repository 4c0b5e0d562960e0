/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For every task that Slurm launched on this node: whether a record covers it, and if not, why not.
 * A fact is about all tasks of a step that run the same program with the same outcome.
 */
#ifndef JOBTRAIL_COVERAGE_H
#define JOBTRAIL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/facts/coverage_witness.h"
#include "submit/job/journal_read.h"

/* In the order in which they are looked for. */
enum coverage_outcome {
    COVERAGE_EXCLUDED,  /* the site skips the job's partition or account */
    COVERAGE_OPTED_OUT, /* the user said --jobtrail=no */
    COVERAGE_RECORDED,  /* the task, or a process that it started, left a capture */
    COVERAGE_CONTAINER, /* it ran in a container without the library */
    COVERAGE_FOLLOWER,  /* another task of the same program records for it */
    COVERAGE_SCRIPT,    /* a batch script: only its shell is known */
    COVERAGE_MISSING,   /* the program could not be found */
    COVERAGE_LAUNCHER,  /* a daemon of mpirun's: the record of rank 0 covers its ranks */
    COVERAGE_POLICY,    /* the site's rules or switches leave the program out */
    COVERAGE_STATIC,    /* no dynamic loader: its record is made from the journal */
    COVERAGE_SETUID,    /* set-user-id or the like: the loader ignores LD_PRELOAD */
    COVERAGE_SPOOL,     /* there was no room, or no ledger */
    COVERAGE_SAMPLED,   /* sampling is on and may have left it out */
    COVERAGE_KILLED,    /* killed by a signal without a capture: before its program had started */
    COVERAGE_UNKNOWN,   /* none of these; for example, LD_PRELOAD was unset */
};

struct coverage_fact {
    enum coverage_outcome outcome;
    uint32_t step;
    uint32_t leader;     /* the task that records for these; JOURNAL_NONE: unknown */
    uint32_t first_task; /* the lowest of their numbers */
    uint32_t tasks, runs;
    double core_seconds; /* cores times time, of all these tasks of which the end is known */
    double uncertain_core_seconds; /* and of the others at the most */
    uint64_t start_ns,
        end_ns;    /* since the Epoch: of the first start and the last end that is known */
    char *program; /* owned; NULL: unknown, or of a task that is not to be recorded */
};

/* A task whose program is static. */
struct coverage_static {
    const struct journal_task *task; /* in the journal */
    const char *program;             /* in one of the facts */
};

struct coverage {
    struct coverage_fact *facts; /* owned, in the order of the steps */
    size_t fact_count;
    struct coverage_static *statics; /* owned, in the order of the journal */
    size_t static_count;
};

struct coverage_source {
    const void *policy; /* usable */
    const struct journal *journal;
    const struct coverage_witnesses *witnesses; /* NULL: the ledger cannot be read */
    uint64_t dropped;                           /* captures that found no room */
    uint64_t now_ns;                            /* tasks without an end had ended by then */
    bool blind;                                 /* programs' files are not read */
};

/* Whether the site skips the job's partition or account. Where the journal has no credential, and
 * so does not know them, true if the site has any rule for them. */
bool coverage_excludes(const void *policy, const struct journal *journal);

/* "recorded", "opted_out", ... */
const char *coverage_outcome_name(enum coverage_outcome outcome);

/* Finds the facts. Reads the files of programs of tasks that left no capture: to be called as the
 * job's user. Returns 0 or -ENOMEM. coverage_free() releases `*coverage`, written only on success.
 */
int coverage_find(const struct coverage_source *source, struct coverage *coverage);

void coverage_free(struct coverage *coverage);

#endif
