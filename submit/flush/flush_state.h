/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a flush (flush.h) is asked for, what it counts, and what its jobs share.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/job/holdings.h"
#include "submit/outbox/outbox.h"

struct flush_options {
    const char *node; /* as Slurm names it */
    uint32_t job;     /* 0: all that the node holds */
    bool orphans;     /* only jobs whose epilog has begun, or that the node's last boot ended */
    bool sessions;    /* not jobs, but sessions outside of Slurm */
    bool dry_run;     /* print the records, send and remove nothing */
};

struct flush_count {
    uint64_t jobs;        /* directories dealt with */
    uint64_t records;     /* handed to the outbox */
    uint64_t packages;    /* records of packages, handed to the outbox */
    uint64_t unhooked;    /* runs that were marked for a package hook, and had none */
    uint64_t dropped;     /* captures that found no room while the jobs ran */
    uint64_t damaged;     /* captures, and lines of package hooks, that could not be used */
    uint64_t misdated;    /* captures whose start lies outside of their job's life: cut to it */
    uint64_t left_out;    /* lines that had no place in a journal (spank/journal.h) */
    uint64_t quarantined; /* directories set aside */
    uint64_t lost;        /* directories that had no place in the quarantine */
    uint64_t left;        /* directories that a later job of the same id has found */
    uint64_t running;     /* directories left alone, as their job still runs here */
    uint64_t failed;      /* directories that are still there to be tried again */
    uint64_t overflowed; /* jobs, and users of sessions, whose records find no room in the outbox */
    uint64_t refused;    /* records that a receiver will never take, set aside */
    uint64_t waiting;    /* transports that still have something to send */
};

/* What the jobs of one call of flush_run() share. */
struct flush_state {
    const struct conf *conf;
    const struct flush_options *options;
    struct outbox *outbox; /* NULL: a dry run */
    int spool;
    uint64_t now_ns; /* since the Epoch */
    struct flush_count *count;
    uint64_t wait_ns; /* CLOCK_MONOTONIC: until then an epilog may wait for this flush */
    uint64_t job_ns;  /* the same: when this job's time is over */
    int slot;         /* of the one flush that goes on; -1: not held */
    bool is_queued;   /* another flush holds it: what is left is for that one */
    struct holdings holdings;
    bool is_held;          /* `holdings` is counted */
    uint64_t without_room; /* jobs whose records find no room in the outbox, in this round */
};

/* What came of reading a user's files, and of flushing a job or a session. */
enum flush_outcome {
    FLUSH_DONE, /* all that there is has records */
    FLUSH_LEFT, /* nothing was done about it, and nothing is to be said */

    /* No later flush could read it either: it is kept in the quarantine. */
    FLUSH_FOREIGN,     /* the ledger or the packages are another user's */
    FLUSH_DAMAGED,     /* captures that cannot be used */
    FLUSH_BAD_LINES,   /* the same of the packages' lines */
    FLUSH_NO_LEDGER,   /* the ledger is none; what is beside it is read */
    FLUSH_BROKEN,      /* the reader broke down, or gave a record that it may not give */
    FLUSH_NOBODYS,     /* the journal does not say whose job this is */
    FLUSH_PASSED_OVER, /* all is read but captures that ended their reader twice */
    FLUSH_SPENT,       /* the processor time is used up, to within half a second */
    FLUSH_HELD,        /* it would wait, and its user's jobs that wait hold too much */
    FLUSH_PART_UNDONE, /* all is read, and a part of the flush (flush_part.h) says what is undone */

    /* The rest is for a later flush. */
    FLUSH_KILLED,    /* the reader was ended, and may be started again */
    FLUSH_LATE,      /* no more time, or the reader was silent for too long */
    FLUSH_QUEUED,    /* the epilog waits no longer, and another flush goes on */
    FLUSH_NO_ROOM,   /* in the outbox */
    FLUSH_NO_POLICY, /* nothing is read: there is no usable policy */
    FLUSH_ELSEWHERE, /* its captures are mounted in another mount namespace */
};

/* Whether what was flushed is to be kept in the quarantine. */
bool flush_outcome_is_kept(enum flush_outcome outcome);

/* Whether it waits in the spool, for what another flush may find better. */
bool flush_outcome_waits(enum flush_outcome outcome);

/* Why it is kept, or stays where it is, for people; "" where neither is so. */
const char *flush_outcome_text(enum flush_outcome outcome);
