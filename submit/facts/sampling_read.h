/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/policy/policy.h"
#include "submit/evidence/ledger_read.h"
#include "submit/facts/ending.h"

/* Whether a run is recorded. A process that reached its end has decided itself; for one that was
 * killed this decides by the table that was in force when it began, from its run time and the
 * random number that it drew then. One whose table is not known to `policy` is recorded: no process
 * has left out a killed run. `*probability` is the one that the decision was made with. A process
 * can name another table, and so change its own weight within the site's tables. `policy` must be
 * usable. */
bool sampling_keeps(const struct policy_header *policy, const struct capture *capture,
                    const struct ending *ending, double *probability);

/* What identifies the table by which the policy in force samples a run of so many ranks; 0: it
 * keeps the run. `policy` must be usable. */
uint64_t sampling_table(const struct policy_header *policy, uint32_t ranks);
