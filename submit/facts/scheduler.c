/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/scheduler.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "preload/fact_variables.h"

/* The variables with each system's facts, in the order of enum conf_scheduler; NULL: it has none.
 */
static const struct scheduler_variables {
    const char *name, *mark; /* the variable that the system sets */
    const char *job_id, *queue, *account, *submit_host, *nodes;
} sources[] = {
    {"PBS", "PBS_JOBID", "PBS_JOBID", "PBS_QUEUE", "PBS_ACCOUNT", "PBS_O_HOST", "PBS_NUM_NODES"},
    {"SGE", "SGE_ACCOUNT", "JOB_ID", "QUEUE", "SGE_ACCOUNT", NULL, "NHOSTS"},
    {"LSF", "LSF_VERSION", "LSB_JOBID", "LSB_QUEUE", NULL, "LSB_EXEC_CLUSTER", NULL},
};

static const char *or_unknown(const char *value)
{
    return value == NULL || value[0] == '\0' ? "unknown" : value;
}

/* The value of a variable, cut to `size` bytes at `value`; NULL when there is none. */
static const char *get_variable(struct capture_bytes facts, const char *name, char *value,
                                size_t size)
{
    size_t length = name == NULL ? 0 : strlen(name);
    const char *end = facts.at == NULL ? NULL : facts.at + facts.size;
    for (const char *at = facts.at; at < end && length > 0;
         at += strnlen(at, (size_t)(end - at)) + 1) {
        size_t whole = strnlen(at, (size_t)(end - at));
        if (whole <= length || memcmp(at, name, length) != 0 || at[length] != '=')
            continue;
        snprintf(value, size, "%.*s", (int)(whole - length - 1), at + length + 1);
        return value;
    }
    return NULL;
}

/* "HOST CPUS HOST CPUS ...": half as many nodes as words. */
static uint32_t lsf_nodes(struct capture_bytes facts)
{
    char value[FACT_HOSTS_MAX + 1];
    uint32_t words = 0;
    const char *at = get_variable(facts, FACT_HOSTS, value, sizeof value);
    for (; at != NULL && at[strspn(at, " ")] != '\0'; words++) {
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    return words < 4 ? 1 : words / 2;
}

static void fill_scheduler(const struct scheduler_variables *source, struct capture_bytes facts,
                           struct scheduler *scheduler)
{
    char text[16];
    const size_t size = sizeof scheduler->text[0];
    scheduler->name = source->name;
    scheduler->job_id = or_unknown(get_variable(facts, source->job_id, scheduler->text[0], size));
    /* "17.server" and "17[4].server" without the server, as XALT has them */
    size_t digits = source == &sources[0] ? strspn(scheduler->job_id, "[]0123456789") : 0;
    if (digits > 0)
        scheduler->text[0][digits] = '\0';
    scheduler->queue = or_unknown(get_variable(facts, source->queue, scheduler->text[1], size));
    scheduler->account = or_unknown(get_variable(facts, source->account, scheduler->text[2], size));
    scheduler->submit_host =
        or_unknown(get_variable(facts, source->submit_host, scheduler->text[3], size));
    const char *nodes = get_variable(facts, source->nodes, text, sizeof text);
    long value = nodes == NULL ? 1 : atol(nodes);
    scheduler->nodes = source->nodes == NULL          ? lsf_nodes(facts)
                       : value > 0 && value < 1 << 24 ? (uint32_t)value
                                                      : 1;
}

void scheduler_find(uint32_t site, const struct job_identity *identity, const char *submit_host,
                    struct capture_bytes facts, struct scheduler *scheduler)
{
    static const struct scheduler_variables none = {.name = "unknown", .nodes = ""};
    char value[16];
    const struct scheduler_variables *source = &none;
    if (identity->job != 0) {
        snprintf(scheduler->text[0], sizeof scheduler->text[0], "%u", identity->job);
        scheduler->name = "SLURM";
        scheduler->job_id = scheduler->text[0];
        scheduler->queue = or_unknown(identity->partition);
        scheduler->account = or_unknown(identity->account);
        scheduler->submit_host = or_unknown(submit_host);
        return;
    }
    if (site > CONF_SLURM && site <= sizeof sources / sizeof sources[0] &&
        get_variable(facts, sources[site - 1].mark, value, sizeof value) != NULL)
        source = &sources[site - 1];
    fill_scheduler(source, facts, scheduler);
}

int scheduler_threads(struct capture_bytes facts)
{
    char value[16];
    const char *text = get_variable(facts, FACT_THREADS, value, sizeof value);
    long threads = text == NULL ? 1 : strtol(text, NULL, 10);
    return threads > 0 && threads <= INT_MAX ? (int)threads : 1;
}
