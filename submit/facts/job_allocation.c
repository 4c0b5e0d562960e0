/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/job_allocation.h"

/* Of the job on this node: as a step has it; else the mean of the job's nodes. */
static uint32_t cpus_here(const struct journal *journal)
{
    for (size_t i = 0; i < journal->step_count; i++) {
        if (journal->steps[i].cpus > 0)
            return journal->steps[i].cpus;
    }
    return journal->nodes > 1 ? journal->cpus / journal->nodes : journal->cpus;
}

static void find_start(const struct journal *journal, struct job_allocation *allocation)
{
    uint64_t first_ns = journal->step_count > 0 ? journal->steps[0].start_ns : journal->last_ns;
    bool has_prolog = journal->prolog_ns != 0;
    allocation->start_ns = has_prolog ? journal->prolog_ns : first_ns;
    allocation->start_source = has_prolog ? "prolog" : "step";
}

static void find_end(const struct journal *journal, uint64_t now_ns,
                     struct job_allocation *allocation)
{
    allocation->end_ns = journal->epilog_ns != 0   ? journal->epilog_ns
                         : journal->reboot_ns != 0 ? journal->reboot_ns
                                                   : now_ns;
    allocation->end_source = journal->epilog_ns != 0   ? "epilog"
                             : journal->reboot_ns != 0 ? "reboot"
                                                       : "flush";
    if (allocation->end_ns < allocation->start_ns) /* a clock was set back */
        allocation->end_ns = allocation->start_ns;
}

struct job_allocation job_allocation_find(const struct journal *journal, uint64_t now_ns)
{
    struct job_allocation allocation = {.cpus = cpus_here(journal)};
    find_start(journal, &allocation);
    find_end(journal, now_ns, &allocation);
    uint64_t ns = allocation.end_ns - allocation.start_ns - allocation.suspended_ns;
    allocation.core_seconds = (double)ns / 1e9 * allocation.cpus;
    return allocation;
}
