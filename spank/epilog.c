/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "epilog.h"

#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>

#include "credential.h"
#include "helper.h"
#include "journal_line.h"
#include "journal_owner.h"
#include "spool.h"

struct note {
    struct journal_line line;
    uid_t uid;
    int runs;
};

static void append_line(void *context, uint32_t restart, int spool)
{
    struct note *note = context;
    struct journal_line copy = note->line;
    (void)restart;
    note->runs++;
    if (journal_is_users(spool, note->uid) == 1)
        journal_append(&copy, spool);
}

/* A requeued job's epilog already tells the next restart count, and a run of which a crash of the
 * node has left something is over too: the line goes to every directory that the node has of the
 * job. What a job of another user has left gets no line with this job's account. */
int epilog_note(const struct settings *settings, uint32_t job, uid_t uid)
{
    struct note note = {.uid = uid};
    journal_start(&note.line, "epilog");
    credential_add(&note.line);
    spool_find_runs(settings->spool, job, append_line, &note);
    return note.runs > 0;
}

void epilog_flush(const struct settings *settings, uint32_t job)
{
    char program[PATH_MAX], conf[PATH_MAX], id[16], node[256];
    char flush[] = "flush", conf_option[] = "--conf", job_option[] = "--job",
         node_option[] = "--node";
    struct helper_result result = {0};
    snprintf(program, sizeof program, "%s", settings->submit);
    snprintf(conf, sizeof conf, "%s", settings->conf);
    snprintf(node, sizeof node, "%s", spool_node());
    snprintf(id, sizeof id, "%u", job);
    char *const argv[] = {program, flush,      conf_option, conf, node_option,
                          node,    job_option, id,          NULL};
    int error = helper_run(argv, settings->epilog_timeout_s, &result);
    if (error != 0)
        slurm_info("jobtrail: job %u: cannot run %s: %s", job, program, strerror(-error));
    else if (!result.finished)
        slurm_info("jobtrail: job %u: the flush goes on after %u s", job,
                   settings->epilog_timeout_s);
    else if (result.status != 0)
        slurm_info("jobtrail: job %u: the flush failed: %s", job, result.message);
    else if (result.message[0] != '\0')
        slurm_info("jobtrail: job %u: %s", job, result.message);
}
