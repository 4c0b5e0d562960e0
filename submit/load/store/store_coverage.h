/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Coverage records: a row for each fact.
 */
#ifndef JOBTRAIL_STORE_COVERAGE_H
#define JOBTRAIL_STORE_COVERAGE_H

#include "submit/load/parse/load_record.h"
#include "submit/load/store/store_connection.h"
#include "submit/load/store/store_result.h"

struct store_coverage {
    struct store_connection *on;
    struct statement *owners, *add, *drop;
};

int store_prepare_coverage(struct store_coverage *rows, struct store_connection *on);
int store_put_coverage(struct store_coverage *rows, const struct record *record,
                       enum store_result *result);

#endif
