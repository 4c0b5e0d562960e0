/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The records that a ledger gives: of its runs, of their packages, and of the job's coverage. A
 * ledger is read first for what follows what in a process (succession.h); a job's then for what
 * each run had of the allocation (division.h); and at last capture by capture for the records. A
 * capture is gone when it has been looked at: what stays are some 100 bytes of it.
 */
#ifndef JOBTRAIL_LEDGER_SEND_H
#define JOBTRAIL_LEDGER_SEND_H

#include "submit/flush/reading.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

struct ledger_send {
    const struct reading_request *request; /* for which; not of READING_HAND_IN */
    const void *policy;                    /* usable */
    struct command_lines lines;
    /* Takes a record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    /* Called before a unit (reading.h) is looked at: of a job each one with a capture for its end,
     * and then each one for its records. Units grow, but for the first of these. Returns whether it
     * is wanted. The end of one that is not is found without its program's files. */
    bool (*begin)(void *context, uint64_t unit);
    void *context;
};

/* Gives the records of a job, or of those runs of a session that are over, and counts in
 * `*summary`; a job whose ledger is none has coverage all the same. Returns 0 or -errno. */
int ledger_send_ends(const struct ledger_send *send, struct reading_summary *summary);

/* Gives the start records of a job. */
int ledger_send_starts(const struct ledger_send *send, struct reading_summary *summary);

/* Gives a record away and releases it. `error`: the result of building it, as which it returns
 * where that is not 0. */
int ledger_send_record(const struct ledger_send *send, int error, struct built_record *record);

#endif
