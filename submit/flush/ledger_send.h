/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The records that a ledger gives: of its runs, of their packages, and of the job's coverage. A
 * ledger is read twice, first for what follows what in a process (succession.h), then capture by
 * capture, each gone when its records are: so memory grows by a few bytes a capture only.
 */
#ifndef JOBTRAIL_LEDGER_SEND_H
#define JOBTRAIL_LEDGER_SEND_H

#include "submit/flush/reading.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

struct ledger_send {
    const struct conf *conf;
    const struct job_identity *identity;
    const struct journal *journal; /* NULL: of a session */
    const void *policy;            /* usable */
    struct command_lines lines;
    int ledger, packages; /* -1: there is none */
    uint64_t now_ns;      /* but of starts: see ending_find() */
    uint64_t first_unit;  /* what is before it is not wanted */
    bool is_leader_gone;  /* of a session: its leader has ended */
    const char *sent;     /* of starts and sessions: a text with the uuids that are not wanted */
    /* Takes a record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    /* Called before a unit (reading.h) is looked at; units grow. Returns whether it is wanted. */
    bool (*begin)(void *context, uint64_t unit);
    void *context;
};

/* Gives the records of a job, or of those runs of a session that are over, and counts in
 * `*summary`; a job whose ledger is none has coverage all the same. Returns 0 or -errno. */
int ledger_send_ends(const struct ledger_send *send, struct reading_summary *summary);

/* Gives the start records of a job. */
int ledger_send_starts(const struct ledger_send *send, struct reading_summary *summary);

#endif
