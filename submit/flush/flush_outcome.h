/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What came of flushing one job or one session.
 */
#ifndef JOBTRAIL_FLUSH_OUTCOME_H
#define JOBTRAIL_FLUSH_OUTCOME_H

#include "submit/flush/reading.h"

enum flush_outcome {
    FLUSH_DONE, /* its records are in the outbox: it may be removed */
    FLUSH_LEFT, /* nothing was done about it, and nothing is to be said */

    /* No later flush could read it either: it is kept in the quarantine. */
    FLUSH_FOREIGN,     /* the ledger or the packages are another user's */
    FLUSH_DAMAGED,     /* captures that cannot be used */
    FLUSH_BAD_LINES,   /* the same of the packages' lines */
    FLUSH_NO_LEDGER,   /* the ledger is none */
    FLUSH_BROKEN,      /* the reader breaks down, whatever is passed over */
    FLUSH_NOBODYS,     /* the journal does not say whose job this is */
    FLUSH_PASSED_OVER, /* all is read but captures that ended their reader twice */
    FLUSH_SPENT,       /* its records take more processor time than [submit] job_cpu */

    /* The rest is for a later flush. */
    FLUSH_KILLED,    /* the reader was ended, and may be started again */
    FLUSH_LATE,      /* no more time */
    FLUSH_QUEUED,    /* the epilog waits no longer, and another flush goes on */
    FLUSH_NO_ROOM,   /* in the outbox */
    FLUSH_NO_POLICY, /* there is no usable policy */
    FLUSH_ELSEWHERE, /* its captures are mounted in another mount namespace */
};

/* Of a reading that was one job's or session's last. */
enum flush_outcome flush_outcome_of(enum reading_outcome outcome);

/* Why it is kept in the quarantine; NULL where it is not. */
const char *flush_outcome_reason(enum flush_outcome outcome);

/* Why a job's directory stays, for people; NULL where it does not. */
const char *flush_outcome_stays(enum flush_outcome outcome);

#endif
