/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SAMPLING_READ_H
#define JOBTRAIL_SAMPLING_READ_H

#include <stdbool.h>

#include "conf/conf.h"
#include "submit/evidence/ledger_read.h"
#include "submit/facts/ending.h"

/* Whether a run is recorded. A process that reached its end has decided itself; for one that was
 * killed this decides by the same table, from its run time and the random number that it drew at
 * its start.
 * `*probability` is the one that the decision was made with. */
bool sampling_keeps(const struct conf *conf, const struct capture *capture,
                    const struct ending *ending, double *probability);

#endif
