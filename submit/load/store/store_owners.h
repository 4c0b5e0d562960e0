/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who has claimed a uuid. Rows are not counted, as one owner may have any number of them: one
 * question for each owner.
 */
#ifndef JOBTRAIL_STORE_OWNERS_H
#define JOBTRAIL_STORE_OWNERS_H

#include "submit/load/store/store_connection.h"
#include "submit/load/store/store_result.h"

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

/* What a record of a uuid is, whose owner has no row: STORE_NEW, STORE_CONFLICT or STORE_CROWDED.
 */
int store_look_at_owners(struct store_connection *on, struct statement *owners, const char *uuid,
                         bool unproven, enum store_result *result);

#endif
