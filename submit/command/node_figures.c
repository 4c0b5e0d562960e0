/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/node_figures.h"

#include <string.h>

bool node_figure_is_told(const struct node_figure *figure)
{
    return !figure->is_unknown && (!figure->is_time || figure->value != 0);
}

static uint64_t places_unread(const struct node_status *node)
{
    uint64_t count = 0;
    for (size_t i = 0; i < NODE_PLACES; i++)
        count += node->error[i] != 0;
    return count;
}

void node_figures(const struct node_status *node, struct node_figure figures[NODE_FIGURES])
{
    const bool breaks = node->error[PLACE_BREAKS] != 0, spool = node->error[PLACE_SPOOL] != 0;
    const bool quarantine = node->error[PLACE_QUARANTINE] != 0;
    const bool outbox = node->error[PLACE_OUTBOX] != 0;
    const struct node_figure all[NODE_FIGURES] = {
        {"jobs", "jobs in the spool", node->jobs, false, spool},
        {"jobs_over", "jobs in the spool that are over", node->jobs_over, false, spool},
        {"jobs_over_oldest_seconds", "end of the first of them", node->oldest_over_s, true, spool},
        {"jobs_other_version", "jobs that began under another version", node->others_jobs, false,
         spool},
        {"broken_flushes", "jobs in a row for which the flush broke down", node->broken, false,
         breaks},
        {"broken_flushes_last_seconds", "last time it broke down", node->broken_last_s, true,
         breaks},
        {"quarantine", "jobs and sessions in the quarantine", node->quarantined, false, quarantine},
        {"quarantine_last_seconds", "last time one came there", node->quarantined_last_s, true,
         quarantine},
        {"outbox_overflow", "times records found no room in the outbox", node->overflow, false,
         outbox},
        {"status_errors", "places of these figures that could not be read", places_unread(node),
         false, false},
    };
    memcpy(figures, all, sizeof all);
}

void node_figures_of_transport(const struct outbox_waiting *waiting,
                               struct node_figure figures[TRANSPORT_FIGURES])
{
    const struct node_figure all[TRANSPORT_FIGURES] = {
        {"outbox_records", "records that wait", waiting->records, false, false},
        {"outbox_bytes", "their bytes", waiting->bytes, false, false},
        {"outbox_oldest_seconds", "since when the first of them waits", waiting->oldest_s, true,
         false},
        {"outbox_failures", "failures in a row", waiting->backoff.failures, false, false},
        {"outbox_next_try_seconds", "next try",
         waiting->backoff.failures > 0 ? waiting->backoff.until_s : 0, true, false},
        {"outbox_lost", "refused or damaged records that were lost", waiting->lost, false, false},
    };
    memcpy(figures, all, sizeof all);
}
