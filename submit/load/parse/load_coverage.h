/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of coverage: their tables have texts, numbers and nulls that can be.
 */
#ifndef JOBTRAIL_LOAD_COVERAGE_H
#define JOBTRAIL_LOAD_COVERAGE_H

#include "submit/load/parse/record_reader.h"

/* Fills `coverage` of the reader's record, whose values are parsed. Returns as record_reader.h
 * says. */
int load_coverage(struct record_reader *reader);

#endif
