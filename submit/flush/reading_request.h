/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a reader (reading.h) is asked for, and how it gives what it makes. There are four requests:
 * for the ends of a job's runs, for those of a session, for start records of a job that still runs,
 * and for records that the user has handed in.
 *
 * The work has units with growing numbers: a capture, a static program, a part of the coverage.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "submit/definition/record_view.h"
#include "submit/flush/core_time_check.h"
#include "submit/job/journal_read.h"
#include "submit/job/kernel_noted.h"
#include "submit/job/looks.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

struct kernel_notes; /* of the extension `witness` */

enum reading_kind { READING_JOB, READING_SESSION, READING_STARTS, READING_HAND_IN };

/* Units that give no records. */
enum {
    READING_UNIT_NONE,  /* none has been begun */
    READING_UNIT_WHOLE, /* the ledger as a whole */
};

/* A place in the work: so many records of this unit, and all of those before it. */
struct reading_place {
    uint64_t unit;    /* READING_UNIT_NONE: none */
    uint64_t records; /* a run and its packages */
};

struct reading_summary {
    uint64_t records;   /* of runs; of READING_HAND_IN: of links */
    uint64_t packages;  /* records of packages */
    uint64_t damaged;   /* captures that could not be used; of READING_HAND_IN: files */
    uint64_t misdated;  /* captures that say they began outside of their job's life */
    uint64_t dropped;   /* captures that found no room */
    uint64_t running;   /* of READING_SESSION: runs that are not over */
    uint64_t unhooked;  /* recorded runs that were marked for a package hook, and had none */
    uint64_t bad_lines; /* that hooks wrote */
    uint64_t
        is_no_ledger; /* 0 or 1: a reader may write anything there, which a bool must not hold */
};

/* Which units there are no more. */
struct reading_units {
    uint64_t
        *begun; /* shared memory: the unit that the reader begins, before it does; NULL: none */
    const uint64_t *passed_over; /* not to be begun */
    size_t passed_over_count;
};

/*   READING_JOB      the records of a job that is over
 *   READING_SESSION  the end records of a session's runs that are over
 *   READING_STARTS   of runs that are not over and whose start gets a record of its own
 *   READING_HAND_IN  records of links that a user has handed in (hand_in_read.h)
 */
struct reading_request {
    enum reading_kind kind;
    const struct conf *conf;
    const struct job_identity *identity; /* whose files are read, and who reads them */
    /* Called for each record. A result other than 0 ends the reading and is returned. */
    int (*take)(void *context, const struct record_view *record);
    void *context;        /* of `take` and `more_time` */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
    /* Asked for another deadline when that one is over; 0: there is none. NULL: nobody is asked. */
    uint64_t (*more_time)(void *context);
    uint64_t cpu_ns;   /* processor time that all of it may take; 0: any */
    uint64_t *used_ns; /* the processor time that it took is added; NULL: nobody asks */

    /* Of READING_HAND_IN nothing but: the user's directory, open. */
    int user;

    const struct journal *journal; /* NULL: of a session */
    int ledger;                    /* open for reading; -1: it could not be made */
    int packages; /* what hooks wrote, open for reading; -1: there is none, as of starts */
    const struct looks *looks;         /* of a job: what the process watch saw; NULL: nothing */
    const struct kernel_notes *kernel; /* of a job: what the kernel reported; NULL: nothing */
    uint64_t now_ns;     /* since the Epoch; of a job: when it ended, where the journal is silent */
    bool is_leader_gone; /* of a session: the process whose session it is has ended */
    const char *sent;    /* but of a job: a text with the names of records not wanted again */
    struct reading_units units;
    struct reading_place resume_at;    /* of a job: what is before it is not wanted again */
    struct reading_place *taken_up_to; /* set to how far the taken records reach; NULL: unused */
    /* Of a job: what the records have reported that were taken before it; those that are taken are
     * added. NULL: none were, and nobody asks. */
    struct core_time_sums *told;
};

/* In the reader: what records of a ledger are made by, and given to. */
struct ledger_send {
    const struct reading_request *request; /* for which; not of READING_HAND_IN */
    const void *policy;                    /* usable */
    const struct kernel_account
        *account; /* for how much of a job the kernel speaks; NULL: nothing */
    struct command_lines lines;
    /* Takes a record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    /* Called before a unit (reading.h) is looked at: of a job each one with a capture for its end,
     * and then each one for its records. Units grow, but for the first of these. Returns whether it
     * is wanted. The end of one that is not is found without its program's files. */
    bool (*begin)(void *context, uint64_t unit);
    void *context;
};

struct job_tasks;
struct job_allocation;
struct division;
struct kernel_compared;

/* What the ledger has reported. */
struct coverage_told {
    const struct job_tasks *tasks;
    const struct job_allocation *allocation;
    struct division *division;
    struct kernel_compared *compared; /* NULL: the kernel has reported nothing */
    uint64_t dropped;                 /* captures that found no room */
    uint64_t others_runs, others_ns;  /* as in struct ledger_reader */
    bool has_ledger;                  /* it could be read */
};

/* Gives a record away and releases it. `error`: the result of building it, as which it returns
 * where that is not 0. */
static inline int ledger_send_record(const struct ledger_send *send, int error,
                                     struct built_record *record)
{
    if (error == 0) {
        error = send->give(send->context, record);
        record_free(record);
    }
    return error;
}
