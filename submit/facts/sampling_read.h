/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SAMPLING_READ_H
#define JOBTRAIL_SAMPLING_READ_H

#include "conf/conf.h"
#include "submit/evidence/ledger_read.h"
#include "submit/facts/ending.h"

/* Whether a run is recorded, and with which probability that came about. A process that came to
 * its end has decided; for one that was killed this does, by the same table, the time it ran and
 * the number that it drew at its start. Returns 1 and sets `*probability`, or 0: sampled out. */
int sampling_keeps(const struct conf *conf, const struct capture *capture,
                   const struct ending *ending, double *probability);

#endif
