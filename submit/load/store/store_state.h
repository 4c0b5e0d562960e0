/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a store is made of.
 */
#ifndef JOBTRAIL_STORE_STATE_H
#define JOBTRAIL_STORE_STATE_H

#include "submit/load/store/store_coverage.h"
#include "submit/load/store/store_links.h"
#include "submit/load/store/store_packages.h"
#include "submit/load/store/store_runs.h"
#include "submit/load/store/store_transaction.h"

struct store {
    struct store_connection connection;
    struct store_prefixes prefixes;
    struct store_intern intern;
    struct store_parts parts;
    struct store_runs runs;
    struct store_links links;
    struct store_packages packages;
    struct store_coverage coverage;
    struct store_transaction transaction;
    struct statement *add_replaced;
};

#endif
