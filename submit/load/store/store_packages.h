/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packages that runs loaded: unique by the run's uuid, the owner of the record and the package.
 */
#ifndef JOBTRAIL_STORE_PACKAGES_H
#define JOBTRAIL_STORE_PACKAGES_H

#include "submit/load/store/store_intern.h"
#include "submit/load/store/store_result.h"

struct store_packages {
    struct store_connection *on;
    struct store_intern *intern;
    struct statement *find, *add, *prove; /* of runs */
    struct statement *owners, *find_owner, *add_owner;
};

int store_prepare_packages(struct store_packages *packages, struct store_intern *intern);

/* Asks for the package's row; writes that the run has it. */
int store_want_package(struct store_packages *packages, const struct record *record);
int store_put_package(struct store_packages *packages, const struct record *record,
                      enum store_result *result);

#endif
