/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "epilog.h"

#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper.h"
#include "journal_line.h"
#include "spool.h"

static void add_credential(struct journal_line *line)
{
    const struct {
        const char *key;
        const char *variable;
    } facts[] = {
        {"user", "SLURM_JOB_USER"},           {"account", "SLURM_JOB_ACCOUNT"},
        {"partition", "SLURM_JOB_PARTITION"}, {"cluster", "SLURM_CLUSTER_NAME"},
        {"nodes", "SLURM_JOB_NUM_NODES"},     {"cpus", "SLURM_JOB_CPUS_PER_NODE"},
        {"gpus", "SLURM_JOB_GPUS"},           {"het_job", "SLURM_HET_JOB_ID"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        journal_text(line, facts[i].key, getenv(facts[i].variable));
}

/* A requeued job's epilog already tells the next restart count, so the line goes to every
 * directory that this node holds for the job. There can be but a few; an upper bound all the
 * same. */
int epilog_note(const struct settings *settings, uint32_t job)
{
    const char *count = getenv("SLURM_JOB_RESTART_COUNT");
    uint32_t last = count == NULL ? 0 : (uint32_t)strtoul(count, NULL, 10);
    struct journal_line line;
    int found = 0;
    journal_start(&line, "epilog");
    add_credential(&line);
    for (uint32_t restart = last > 16 ? last - 16 : 0; restart <= last; restart++) {
        struct journal_line copy = line;
        int spool = spool_find(settings->spool, job, restart);
        if (spool < 0)
            continue;
        journal_append(&copy, spool);
        close(spool);
        found = 1;
    }
    return found;
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
}
