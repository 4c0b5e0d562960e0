/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table `coverage` of the SQLite store: a row for each fact.
 */
#ifndef JOBTRAIL_COVERAGE_SQLITE_H
#define JOBTRAIL_COVERAGE_SQLITE_H

#include <sqlite3.h>

#include "coverage_load.h"

/* Makes the table where it is missing. Returns an SQLite result. */
int coverage_sqlite_prepare(sqlite3 *db);

/* Adds the record's facts, unless the store has it: `*fresh` says which. Returns an SQLite result.
 */
int coverage_sqlite_put(sqlite3 *db, const struct coverage_load *record, bool *fresh);

#endif
