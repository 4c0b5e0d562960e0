/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose a record is: the user by name and uid, and which job, restart and cluster. A uuid may be in
 * anybody's record, so that two records are of the same run only where these agree, too.
 *
 * An owner is a number of 63 bits from a sha1, which stands in every run's row. In a record that
 * jobtrail wrote, user, restart and cluster come from root, so that nobody can choose their owner.
 * The lowest bit is 1 for these. All that is in a record of XALT's comes from the user; its lowest
 * bit is 0, so that it never has the owner of one of ours.
 */
#pragma once

#include "submit/load/store/store.h"
#include "submit/load/store/store_connection.h"

/* The owner of a package record that does not say whose it is: it is of a run that XALT wrote. */
#define OWNER_OF_XALT 0

/* What an owner is made of: user, uid, job, restart, cluster. */
enum { OWNER_RESTART = 3, OWNER_VALUES = 5 };

/* The owner, which is positive. A run without slurmT.restart_count is XALT's. */
int64_t record_owner_of_run(const struct run_record *run);

/* The same, and what it is made of; OWNER_OF_XALT for a package without ownerT.restart_count. */
int64_t record_owner_of_package(const struct package_record *package,
                                struct value values[OWNER_VALUES]);

/* From values as they stand in the store; a job is a number, or XALT's text. */
int64_t record_owner_of_values(const struct value values[OWNER_VALUES]);

/* Who has claimed a uuid. Rows are not counted, as one owner may have any number of them: one
 * question for each owner. */
struct owner_row {
    bool found, is_proven;
    int64_t owner;
};

/* Prepares the question for the first owner that is not below a number. */
struct statement *store_owners_statement(struct store_connection *on, const char *table,
                                         const char *uuid_column, int *error);

/* The owner's row of the uuid. */
int store_find_owner(struct store_connection *on, struct statement *owners, const char *uuid,
                     int64_t owner, struct owner_row *row);

/* What a record of a uuid is whose owner has no row: STORE_NEW, STORE_CONFLICT or STORE_CROWDED. */
int store_look_at_owners(struct store_connection *on, struct statement *owners, const char *uuid,
                         bool unproven, enum store_result *result);
