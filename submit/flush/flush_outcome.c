/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_outcome.h"

#include <stddef.h>

static const struct {
    const char *reason, *stays;
} texts[] = {
    [FLUSH_DONE] = {NULL, NULL},
    [FLUSH_LEFT] = {NULL, NULL},
    [FLUSH_FOREIGN] = {"the ledger or the packages are another user's", NULL},
    [FLUSH_DAMAGED] = {"damaged captures in the ledger", NULL},
    [FLUSH_BAD_LINES] = {"damaged lines in the packages", NULL},
    [FLUSH_NO_LEDGER] = {"the ledger is not one", NULL},
    [FLUSH_BROKEN] = {"reading the ledger broke down", NULL},
    [FLUSH_NOBODYS] = {"the journal does not say whose job this is", NULL},
    [FLUSH_PASSED_OVER] = {"captures that ended their reader twice are not recorded", NULL},
    [FLUSH_SPENT] = {"its records take more processor time than [submit] job_cpu", NULL},
    [FLUSH_KILLED] = {NULL, "not flushed, to be tried again: the reading process was ended"},
    [FLUSH_LATE] = {NULL, "not flushed to its end, the rest is for the next flush"},
    [FLUSH_QUEUED] = {NULL, "the epilog waits no longer and another flush is at work: the rest is "
                            "for that"},
    [FLUSH_NO_ROOM] = {NULL, "its share of the outbox is full, the rest is for the next flush"},
    [FLUSH_NO_POLICY] = {NULL, "not flushed, there is no usable policy: jobtrail-conf compile"},
    [FLUSH_ELSEWHERE] = {NULL, "not flushed, its captures are mounted in another mount namespace, "
                               "slurmd's: flush it from there (nsenter --mount)"},
};

enum flush_outcome flush_outcome_of(enum reading_outcome outcome)
{
    static const enum flush_outcome outcomes[] = {
        [READING_DONE] = FLUSH_DONE,           [READING_NO_LEDGER] = FLUSH_NO_LEDGER,
        [READING_NO_POLICY] = FLUSH_NO_POLICY, [READING_BROKEN] = FLUSH_BROKEN,
        [READING_KILLED] = FLUSH_KILLED,       [READING_LATE] = FLUSH_LATE,
        [READING_SPENT] = FLUSH_SPENT,
    };
    return outcomes[outcome];
}

const char *flush_outcome_reason(enum flush_outcome outcome)
{
    return texts[outcome].reason;
}

const char *flush_outcome_stays(enum flush_outcome outcome)
{
    return texts[outcome].stays;
}
