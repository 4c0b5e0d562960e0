/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of runs: their parts, and what follows from their values.
 */
#ifndef JOBTRAIL_LOAD_RUN_H
#define JOBTRAIL_LOAD_RUN_H

#include "submit/load/parse/record_reader.h"

/* Fills `run` of the reader's record, whose values are parsed. Returns as record_reader.h says. */
int load_run(struct record_reader *reader);

/* The same where the plain values are in `run` already. */
int load_run_rest(struct record_reader *reader);

#endif
