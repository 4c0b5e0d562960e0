/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/core_time.h"

#include "spank/journal.h"

/* Steps are in the journal in the order of their starts. */
static uint64_t time_outside_steps(const struct journal *journal, uint64_t start_ns,
                                   uint64_t end_ns)
{
    uint64_t outside = 0, at = start_ns;
    for (size_t i = 0; i < journal->step_count && at < end_ns; i++) {
        const struct journal_step *step = &journal->steps[i];
        uint64_t step_end = step->end_ns == 0 ? end_ns : step->end_ns;
        if (step->step >= JOURNAL_STEP_INTERACTIVE)
            continue;
        if (step->start_ns > at)
            outside += (step->start_ns < end_ns ? step->start_ns : end_ns) - at;
        if (step_end > at)
            at = step_end;
    }
    return outside + (at < end_ns ? end_ns - at : 0);
}

static double cpu_seconds(uint64_t ns, uint32_t cpus)
{
    return (double)ns / 1e9 * (cpus > 0 ? cpus : 1);
}

double core_time(const struct journal *journal, const struct journal_step *step, uint64_t start_ns,
                 uint64_t end_ns)
{
    if (end_ns < start_ns)
        return 0;
    if (step != NULL &&
        (step->step == JOURNAL_STEP_BATCH || step->step == JOURNAL_STEP_INTERACTIVE))
        return cpu_seconds(time_outside_steps(journal, start_ns, end_ns), step->cpus);
    return cpu_seconds(end_ns - start_ns, step == NULL ? 1 : step->cpus_per_task);
}

double core_time_of_job(const struct journal_step *step, uint64_t start_ns, uint64_t end_ns)
{
    return end_ns < start_ns ? 0 : cpu_seconds(end_ns - start_ns, step == NULL ? 1 : step->cpus);
}
