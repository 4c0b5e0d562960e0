/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the flush sends beside the runs of captures: the runs of static programs, and coverage.
 */
#pragma once

#include "submit/flush/reading_request.h"

/* Builds the records of a job and gives them away. Units begin with `first`; also `first` - 1 is
 * begun, of which there are no records: looking at the programs of tasks. `*runs` grows by the
 * number of runs among the records. Returns 0, -errno, or what `give` returned. */
int coverage_send(const struct ledger_send *send, const struct coverage_told *told, uint64_t first,
                  uint64_t *runs);
