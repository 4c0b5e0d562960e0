/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The records that a ledger gives: of its runs, of their packages, and of the job's coverage. A
 * ledger is read twice, first for what follows what in a process (succession.h), then capture by
 * capture, each gone when its records are: so memory grows by a few bytes a capture only.
 */
#ifndef JOBTRAIL_LEDGER_SEND_H
#define JOBTRAIL_LEDGER_SEND_H

#include "submit/flush/worker.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

struct ledger_send {
    const struct worker_order *order;
    const void *policy; /* usable */
    struct command_lines lines;
    /* Takes a record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    /* Called before a unit (struct worker_place) is looked at; units grow. Returns 0 where it is to
     * be passed over. */
    int (*begin)(void *context, uint64_t unit);
    void *context;
};

/* Gives what `order` asks for, and counts in `*summary`. Returns 0; -EINVAL where the ledger is
 * none (a job has coverage all the same); or -errno. */
int ledger_send(const struct ledger_send *send, struct worker_summary *summary);

#endif
