/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/sampling_read.h"

#include <stddef.h>

#include "conf/policy/policy_read.h"
#include "preload/ledger.h"

bool sampling_keeps(const struct policy_header *policy, const struct capture *capture,
                    const struct ending *ending, double *probability)
{
    const struct policy_known_table *table = policy_known_table(policy, capture->table);
    *probability = 1;
    if (table == NULL || capture->keep)
        return true;
    /* The process has decided with a probability of its table. Any other one is not believed, since
     * reports weigh a run by it. */
    bool is_known = capture->probability == 1;
    for (size_t i = 0; i < table->count; i++)
        is_known |= table->interval[i].probability == capture->probability;
    if (is_known && capture->end_ns != 0 && capture->end_by == LEDGER_END_OWN) {
        *probability = capture->probability;
        return true;
    }
    /* Where the end is not known, the run may have been as long as the upper bound. */
    const struct policy_interval *interval =
        policy_interval_of(table->interval, table->count, ending->max_ns - capture->start_ns);
    if (interval == NULL || !(interval->probability > 0 && interval->probability <= 1))
        return true;
    *probability = interval->probability;
    return capture->random <= interval->threshold;
}

uint64_t sampling_table(const struct policy_header *policy, uint32_t ranks)
{
    bool is_mpi = ranks > 1;
    if ((policy->switches & POLICY_SAMPLE) == 0 || (is_mpi && ranks >= policy->always_ranks))
        return 0;
    return is_mpi ? policy->mpi_table : policy->scalar_table;
}
