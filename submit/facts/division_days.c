/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The days of an allocation, and on which of them the job may have been suspended. */
#include <errno.h>
#include <stdlib.h>

#include "spank/journal.h"
#include "submit/facts/division_parts.h"

int division_find_days(struct division *division)
{
    const struct job_allocation *allocation = division->source.allocation;
    size_t count;
    if (days_midnights(allocation->start_ns, allocation->end_ns, &division->midnights, &count) != 0)
        return -ENOMEM;
    division->day_count = count + 1;
    division->date = calloc(division->day_count, sizeof *division->date);
    division->sum = calloc(division->day_count, sizeof *division->sum);
    division->day = calloc(division->day_count, sizeof *division->day);
    if (division->date == NULL || division->sum == NULL || division->day == NULL)
        return -ENOMEM;
    for (size_t i = 0; i <= count; i++)
        days_text(days_of(i == 0 ? allocation->start_ns : division->midnights[i - 1]),
                  division->date[i].text);
    return 0;
}

uint32_t division_day(const struct division *division, uint64_t time_ns)
{
    uint32_t low = 0, high = (uint32_t)division->day_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (division->midnights[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *division_date(const struct division *division, uint32_t day)
{
    return division->date[day].text;
}

/* Adds the CPU seconds between the two times to `sum`. */
static void add_between(struct division *division, uint64_t start_ns, uint64_t end_ns)
{
    const struct job_allocation *allocation = division->source.allocation;
    if (!job_allocation_clip(allocation, &start_ns, &end_ns))
        return;
    for (uint32_t day = division_day(division, start_ns); start_ns < end_ns; day++) {
        bool is_last = day + 1 >= division->day_count || division->midnights[day] >= end_ns;
        uint64_t until_ns = is_last ? end_ns : division->midnights[day];
        division->sum[day] += (double)(until_ns - start_ns) / 1e9 * allocation->cpus;
        start_ns = until_ns;
    }
}

int division_find_suspended(struct division *division)
{
    const struct journal *journal = division->source.journal;
    division->suspended = calloc(division->day_count, sizeof *division->suspended);
    if (division->suspended == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < journal->pause_count; i++) {
        const struct journal_pause *pause = &journal->pauses[i];
        add_between(division, pause->may_start_ns, pause->start_ns);
        add_between(division, pause->end_ns, pause->may_end_ns);
    }
    for (uint32_t day = 0; day < division->day_count; day++) {
        if (division->sum[day] > 0)
            division->suspended[division->suspended_count++] =
                (struct partition_share){day, division->sum[day]};
        division->sum[day] = 0;
    }
    return 0;
}

struct partition_shares division_maybe_suspended(const struct division *division)
{
    return (struct partition_shares){division->suspended, division->suspended_count};
}
