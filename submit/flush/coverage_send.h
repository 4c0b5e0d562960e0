/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the flush sends beside the runs of captures: the runs of static programs, and coverage.
 */
#ifndef JOBTRAIL_COVERAGE_SEND_H
#define JOBTRAIL_COVERAGE_SEND_H

#include "conf/conf.h"
#include "submit/facts/coverage.h"
#include "submit/record/record.h"

struct coverage_send {
    const struct conf *conf;
    const struct command_lines *lines;
    struct coverage_source source;
    /* Called with each record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    /* As in struct ledger_send; also for `first` - 1, of which there are no records: looking at the
     * programs of tasks. */
    bool (*begin)(void *context, uint64_t unit);
    uint64_t first, from; /* units: number of the first one, and the first that is wanted */
    void *context;
};

/* Builds the records and gives them away. `*runs` grows by the number of runs among them. Returns 0
 * or -errno. */
int coverage_send(const struct coverage_send *send, uint64_t *runs);

#endif
