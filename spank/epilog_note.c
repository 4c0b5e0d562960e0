/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/epilog_note.h"

#include "spank/credential.h"
#include "spank/journal_line.h"
#include "spank/journal_owner.h"
#include "spank/spool.h"

struct note {
    struct journal_line line;
    uid_t uid;
    int runs;
};

static void append_line(void *context, uint32_t restart, int directory)
{
    struct note *note = context;
    struct journal_line copy = note->line;
    (void)restart;
    note->runs++;
    if (journal_is_users(directory, note->uid) == 1)
        journal_append(&copy, directory);
}

/* A requeued job's epilog already tells the next restart count, and a run of which a crash of the
 * node has left something is over too: the line goes to every directory that the node has of the
 * job. What a job of another user has left gets no line with this job's account. */
int epilog_note(const char *spool, uint32_t job, uid_t uid)
{
    struct note note = {.uid = uid};
    journal_start(&note.line, "epilog");
    credential_add(&note.line);
    spool_find_runs(spool, job, append_line, &note);
    return note.runs > 0;
}
