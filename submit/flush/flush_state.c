/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/flush_state.h"

bool flush_outcome_is_kept(enum flush_outcome outcome)
{
    return outcome >= FLUSH_FOREIGN && outcome <= FLUSH_PART_UNDONE;
}

bool flush_outcome_waits(enum flush_outcome outcome)
{
    return outcome >= FLUSH_KILLED && outcome <= FLUSH_NO_POLICY && outcome != FLUSH_QUEUED;
}

const char *flush_outcome_text(enum flush_outcome outcome)
{
    static const char queued[] =
        "the epilog waits no longer, and another flush is running: that does the rest";
    static const char elsewhere[] = "not flushed, its captures are mounted in another mount "
                                    "namespace, slurmd's: flush it from there (nsenter --mount)";
    static const char *const texts[] = {
        [FLUSH_DONE] = "",
        [FLUSH_LEFT] = "",
        [FLUSH_FOREIGN] = "the ledger or the packages are another user's",
        [FLUSH_DAMAGED] = "damaged captures in the ledger",
        [FLUSH_BAD_LINES] = "damaged lines in the packages",
        [FLUSH_NO_LEDGER] = "the ledger is not one of this version of jobtrail",
        [FLUSH_BROKEN] = "reading the ledger broke down",
        [FLUSH_NOBODYS] = "the journal does not say whose job this is",
        [FLUSH_PASSED_OVER] = "captures that stopped their reader twice are not recorded",
        [FLUSH_SPENT] = "its records take more processor time than [submit] job_cpu",
        [FLUSH_HELD] = "it cannot be flushed yet, and its user's jobs that wait hold too much",
        [FLUSH_PART_UNDONE] = "", /* the part says it */
        [FLUSH_KILLED] = "not flushed, to be tried again: the reading process was killed",
        [FLUSH_LATE] = "not flushed to its end, the rest is for the next flush",
        [FLUSH_QUEUED] = queued,
        [FLUSH_NO_ROOM] = "its share of the outbox is full, the rest is for the next flush",
        [FLUSH_NO_POLICY] = "not flushed, there is no usable policy: jobtrail-conf compile",
        [FLUSH_ELSEWHERE] = elsewhere,
    };
    return texts[outcome];
}
