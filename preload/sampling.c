/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/sampling.h"

#include <stdbool.h>
#include <stddef.h>

#include "conf/policy/policy_read.h"
#include "preload/memory.h"

/* "SECONDS" or "SECONDS.FRACTION" in nanoseconds. */
static uint64_t parse_seconds(const char *text)
{
    uint64_t ns = (uint64_t)text_number(text) * 1000000000u;
    while (*text >= '0' && *text <= '9')
        text++;
    if (*text++ != '.')
        return ns;
    for (uint64_t digit = 100000000; *text >= '0' && *text <= '9'; digit /= 10)
        ns += (uint64_t)(*text++ - '0') * digit;
    return ns;
}

static bool is_enabled(const struct policy_header *header, const struct switches *switches)
{
    if (switches->sampling == SWITCH_UNSET)
        return (header->switches & POLICY_SAMPLE) != 0;
    return switches->sampling == SWITCH_YES;
}

int sampling_is_always_kept(const void *policy, const struct switches *switches)
{
    const struct policy_header *header = policy;
    uint32_t always =
        switches->always_ranks != NULL ? text_number(switches->always_ranks) : header->always_ranks;
    return switches->size > 1 && switches->size >= always;
}

void sampling_choose(const void *policy, const struct switches *switches, struct sampling *sampling)
{
    const struct policy_header *header = policy;
    enum policy_section table = switches->size > 1 ? POLICY_MPI : POLICY_SCALAR;
    sampling->count = 0;
    sampling->table = 0;
    if (!is_enabled(header, switches) || sampling_is_always_kept(policy, switches))
        return;
    struct policy_span span = header->section[table];
    size_t count = span.size / sizeof(struct policy_interval);
    if (count > SAMPLING_INTERVALS_MAX)
        return;
    memcpy(sampling->interval, (const char *)policy + span.offset,
           count * sizeof(struct policy_interval));
    sampling->count = (uint32_t)count;
    sampling->table = switches->size > 1 ? header->mpi_table : header->scalar_table;
    sampling->testing = switches->testing_runtime != NULL;
    if (sampling->testing)
        sampling->testing_ns = parse_seconds(switches->testing_runtime);
}

const struct policy_interval *sampling_find(const struct sampling *sampling, uint64_t run_ns)
{
    const struct policy_interval *found = NULL;
    if (sampling->testing)
        run_ns = sampling->testing_ns;
    for (uint32_t i = 0; i < sampling->count && sampling->interval[i].from_ns <= run_ns; i++)
        found = &sampling->interval[i];
    return found;
}
