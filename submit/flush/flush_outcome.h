/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_FLUSH_OUTCOME_H
#define JOBTRAIL_FLUSH_OUTCOME_H

#include <stdbool.h>

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
    FLUSH_PART_UNDONE, /* all is read, and a part of the flush (flush_part.h) says what is not done
                        */

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

/* Why it is kept, or stays where it is, for people; "" where neither is so. */
const char *flush_outcome_text(enum flush_outcome outcome);

#endif
