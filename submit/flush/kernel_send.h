/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The runs of a job of which the kernel alone told (kernel_run.h).
 */
#ifndef JOBTRAIL_KERNEL_SEND_H
#define JOBTRAIL_KERNEL_SEND_H

#include "submit/facts/coverage.h"
#include "submit/flush/coverage_send.h"

/* Gives their records, but for tasks of which one is made in the coverage. Units come after all
 * others. Adds to `*runs`. Returns 0 or -errno. */
int kernel_send(const struct ledger_send *send, const struct coverage *coverage,
                const struct coverage_told *told, uint64_t *runs);

#endif
