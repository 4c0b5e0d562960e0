/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/epilog_note.h"

#include <stdlib.h>
#include <string.h>

#include "spank/journal_owner.h"
#include "spank/spool.h"

void credential_add(struct journal_line *line)
{
    const struct {
        const char *key;
        const char *variable;
    } facts[] = {
        {"user", "SLURM_JOB_USER"},           {"account", "SLURM_JOB_ACCOUNT"},
        {"partition", "SLURM_JOB_PARTITION"}, {"qos", "SLURM_JOB_QOS"},
        {"cluster", "SLURM_CLUSTER_NAME"},    {"nodes", "SLURM_JOB_NUM_NODES"},
        {"cpus", "SLURM_JOB_CPUS_PER_NODE"},  {"gpus", "SLURM_JOB_GPUS"},
        {"het_job", "SLURM_HET_JOB_ID"},      {"sluid", "SLURM_JOB_SLUID"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        journal_text(line, facts[i].key, getenv(facts[i].variable));
    /* the longest, at the end; which of different shares is this node's, its place there tells */
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
    if (cpus != NULL && strchr(cpus, ',') != NULL)
        journal_text(line, "node_list", getenv("SLURM_NODELIST"));
}

uint32_t credential_restart(void)
{
    const char *count = getenv("SLURM_JOB_RESTART_COUNT");
    return count == NULL ? 0 : (uint32_t)strtoul(count, NULL, 10);
}

struct epilog_note {
    struct journal_line line;
    uid_t uid;
    uint32_t last; /* restart of the user's runs */
    bool must_run; /* only in the directory of a run that goes on */
    bool is_found;
};

static void append_line(void *context, uint32_t restart, int directory)
{
    struct epilog_note *note = context;
    struct journal_line copy = note->line;
    note->is_found = true;
    if ((note->must_run ? journal_is_current : journal_is_of_user)(directory, note->uid) != 1)
        return;
    journal_append(&copy, directory);
    if (restart > note->last)
        note->last = restart;
}

/* The line goes into every directory of the job, for two reasons: in the epilog of a requeued job
 * the restart count is already the next run's; and runs that a crash of the node has left behind
 * are over as well. Directories that an earlier job of another user has left under the same id get
 * no line, since it names this job's account. */
bool epilog_note(const char *spool, uint32_t job, uid_t uid)
{
    struct epilog_note note = {.uid = uid};
    journal_start(&note.line, "epilog");
    credential_add(&note.line);
    journal_text(&note.line, "start", getenv("SLURM_JOB_START_TIME"));
    journal_text(&note.line, "restart", getenv("SLURM_JOB_RESTART_COUNT"));
    spool_find_runs(spool, job, append_line, &note);
    if (note.is_found)
        spool_note_restart(spool, job, uid,
                           note.last < credential_restart() ? credential_restart() : 0);
    return note.is_found;
}

/* The directory may have another restart count: SPANK tells none (spank_jobtrail.c). */
bool epilog_note_credential(const char *spool, uint32_t job, uid_t uid)
{
    struct epilog_note note = {.uid = uid, .must_run = true};
    journal_start(&note.line, "credential");
    journal_number(&note.line, "restart", credential_restart());
    journal_text(&note.line, "start", getenv("SLURM_JOB_START_TIME"));
    credential_add(&note.line);
    spool_find_runs(spool, job, append_line, &note);
    return note.is_found;
}
