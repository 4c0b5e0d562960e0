/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/credential.h"

#include <stdlib.h>
#include <string.h>

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
