/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "epilog_note.h"

#include "credential.h"
#include "journal_line.h"
#include "spool.h"

struct note {
    struct journal_line line;
    int runs;
};

static void append_line(void *context, uint32_t restart, int directory)
{
    struct note *note = context;
    struct journal_line copy = note->line;
    (void)restart;
    note->runs++;
    journal_append(&copy, directory);
}

/* A requeued job's epilog already tells the next restart count, and a run of which a crash of the
 * node has left something is over too: the line goes to every directory that the node has of the
 * job. */
int epilog_note(const char *spool, uint32_t job)
{
    struct note note = {.runs = 0};
    journal_start(&note.line, "epilog");
    credential_add(&note.line);
    spool_find_runs(spool, job, append_line, &note);
    return note.runs > 0;
}
