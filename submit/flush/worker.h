/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of a flush that looks at what users wrote: a child process that has dropped to the
 * job's user before it reads the first byte, and hands finished records to its parent.
 */
#ifndef JOBTRAIL_WORKER_H
#define JOBTRAIL_WORKER_H

#include <stdint.h>

#include "conf/conf.h"
#include "submit/job/journal_read.h"
#include "submit/outbox/transport.h"

struct worker_summary {
    uint64_t records;
    uint64_t sampled_out; /* killed runs only: others have gone without a trace */
    uint64_t damaged;     /* slots of the ledger that could not be used; of WORKER_RECORDS: files */
    uint64_t dropped;     /* captures that found no room */
    uint64_t running;     /* of WORKER_SESSION: runs that go on */
    uint64_t packages;    /* records of packages */
    uint64_t unhooked;    /* recorded runs that were marked for a package hook, and had none */
    uint64_t bad_lines;   /* that hooks wrote */
};

/* Which records of a ledger are wanted. */
enum worker_kind {
    WORKER_ENDS,    /* of all runs: the job is over */
    WORKER_STARTS,  /* of the runs that go on and whose start gets a record of its own */
    WORKER_SESSION, /* ends of the runs that are over, of a session that may go on */
    WORKER_RECORDS, /* none: finished records that the user has handed in (hand_in_read.h) */
};

/* Called in the parent for each record; a result other than 0 ends the work and is returned. */
typedef int worker_take(void *context, const struct record_view *record);

/* How far a flush has come with a job. */
struct worker_place {
    uint64_t unit;    /* a capture, a static program, a part of the coverage; 0: none */
    uint64_t records; /* of that unit: its run and packages */
};

/* Units of which there are no records (struct worker_place). */
enum {
    WORKER_UNIT_NONE,    /* none has been begun */
    WORKER_UNIT_READING, /* the ledger as a whole */
};

struct worker_order {
    const struct conf *conf;
    const struct job_identity *identity;
    const struct journal *journal; /* NULL but of WORKER_ENDS and WORKER_STARTS */
    int ledger;                    /* open for reading; -1: it could not be made */
    int packages; /* but of WORKER_STARTS: what hooks wrote, open for reading; -1: there is none */
    int user;     /* of WORKER_RECORDS: the user's directory, open */
    enum worker_kind kind;
    uint64_t now_ns;      /* but of WORKER_STARTS: see ending_find() */
    int over;             /* of WORKER_SESSION: its leader has ended */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC: when the child is ended; 0: never */
    /* Asked for another deadline when that one is over; 0: there is none. NULL: nobody is asked. */
    uint64_t (*more_time)(void *context);
    void *more_context;
    uint64_t cpu_ns; /* processor time that all of it may take; 0: any */
    uint64_t *used;  /* NULL: nobody asks; else the processor time in ns that it took is added */
    uint64_t *begun; /* shared memory: the unit that the child begins, before it does; NULL: none */
    const uint64_t *passed; /* units that are not to be begun */
    size_t passed_count;
    struct worker_place from;     /* of WORKER_ENDS: what is before is not wanted again */
    struct worker_place *reached; /* of WORKER_ENDS: set to how far what was taken reaches */
    const char *started; /* of WORKER_STARTS and WORKER_SESSION: a text with the uuids that are not
                            wanted again */
};

/* Turns a ledger into records. Returns 0 and
 * fills `*summary`; -EINVAL when it is no ledger; -ENOTSUP where there is no usable policy; -EPROTO
 * when the child broke down, or said what is not of this order (worker_check.h); -EINTR when
 * somebody killed it; -ETIMEDOUT when it neither said anything nor began a unit for two minutes and
 * the time that a job's files may take to be hashed (sessions: ten seconds, starts: two), or when
 * the deadline is over; -EOVERFLOW when its processor time is used up, to within half a second:
 * what was taken until then is sound; or what `take` returned. */
int worker_run(const struct worker_order *order, worker_take *take, void *context,
               struct worker_summary *summary);

#endif
