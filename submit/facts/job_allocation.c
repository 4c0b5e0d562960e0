/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/job_allocation.h"

#include "submit/facts/partition.h"

/* Two clocks are read one after the other: less is no step of one of them. */
#define CLOCK_ERROR_NS 1000000

static uint32_t cpus_here(const struct journal *journal)
{
    uint32_t cpus = journal->node_cpus > 0 ? journal->node_cpus
                    : journal->nodes > 1   ? journal->cpus / journal->nodes
                                           : journal->cpus;
    return cpus < PARTITION_CPUS_MAX ? cpus : PARTITION_CPUS_MAX;
}

static void find_start(const struct journal *journal, struct job_allocation *allocation)
{
    bool is_told = journal->start_ns != 0;
    bool has_prolog = journal->prolog_ns != 0;
    uint64_t first_ns = journal->step_count > 0 ? journal->steps[0].start_ns : journal->last_ns;
    allocation->start_ns = is_told ? journal->start_ns : has_prolog ? journal->prolog_ns : first_ns;
    allocation->start_source = is_told ? "slurm" : has_prolog ? "prolog" : "step";
}

static void find_end(const struct journal *journal, uint64_t now_ns,
                     struct job_allocation *allocation)
{
    bool has_epilog = journal->epilog_ns != 0, has_reboot = journal->reboot_ns != 0;
    allocation->end_ns = has_epilog ? journal->epilog_ns : has_reboot ? journal->reboot_ns : now_ns;
    allocation->end_source = has_epilog ? "epilog" : has_reboot ? "reboot" : "flush";
    if (allocation->end_ns < allocation->start_ns) /* a clock was set back */
        allocation->end_ns = allocation->start_ns;
}

bool job_allocation_clip(const struct job_allocation *allocation, uint64_t *start_ns,
                         uint64_t *end_ns)
{
    if (*start_ns < allocation->start_ns)
        *start_ns = allocation->start_ns;
    if (*end_ns > allocation->end_ns)
        *end_ns = allocation->end_ns;
    return *start_ns < *end_ns;
}

static void find_suspended(const struct journal *journal, struct job_allocation *allocation)
{
    for (size_t i = 0; i < journal->pause_count; i++) {
        uint64_t start_ns = journal->pauses[i].start_ns, end_ns = journal->pauses[i].end_ns;
        if (job_allocation_clip(allocation, &start_ns, &end_ns))
            allocation->suspended_ns += end_ns - start_ns;
    }
}

uint64_t job_allocation_most_runs(const struct job_allocation *allocation)
{
    double most = allocation->core_seconds * 10000;
    return most < UINT32_MAX ? (uint64_t)most : UINT32_MAX;
}

struct job_allocation job_allocation_find(const struct journal *journal, uint64_t now_ns)
{
    int64_t step_ns = journal->clock_step_ns;
    bool is_set = step_ns >= CLOCK_ERROR_NS || step_ns <= -CLOCK_ERROR_NS;
    struct job_allocation allocation = {.cpus = cpus_here(journal),
                                        .tasks = (uint32_t)journal->task_count,
                                        .is_clock_known = journal->is_clock_known,
                                        .clock_step = is_set ? (double)step_ns / 1e9 : 0};
    find_start(journal, &allocation);
    find_end(journal, now_ns, &allocation);
    find_suspended(journal, &allocation);
    uint64_t ns = allocation.end_ns - allocation.start_ns - allocation.suspended_ns;
    allocation.core_seconds = (double)ns / 1e9 * allocation.cpus;
    return allocation;
}
