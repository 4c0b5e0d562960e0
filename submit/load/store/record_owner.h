/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose a record is: the user, and which job, restart and cluster. A uuid may be in anybody's
 * record, so that two records are of the same run only where these agree, too.
 *
 * An owner is a number of 63 bits from a sha1, which stands in every run's row. In a record that
 * jobtrail wrote, user, restart and cluster come from root, so that nobody can choose their owner.
 * The lowest bit is 1 for these. All that is in a record of XALT's comes from the user; its lowest
 * bit is 0, so that it never has the owner of one of ours.
 */
#ifndef JOBTRAIL_RECORD_OWNER_H
#define JOBTRAIL_RECORD_OWNER_H

#include "submit/load/database/database.h"
#include "submit/load/parse/load_record.h"

/* The owner of a package record that does not say whose it is: it is of a run that XALT wrote. */
#define OWNER_OF_XALT 0

/* Sets `*owner`, which is positive. A run without
 * slurmT.restart_count is XALT's. Returns 0; or -errno as hash_pieces(). */
int record_owner_of_run(const struct run_record *run, int64_t *owner);

/* The same; OWNER_OF_XALT for a package without ownerT.restart_count. */
int record_owner_of_package(const struct package_record *package, int64_t *owner);

/* From values as they stand in the store; a job is a number, or XALT's text. */
int record_owner_of_values(const struct value *user, const struct value *job,
                           const struct value *restart_count, const struct value *cluster,
                           int64_t *owner);

#endif
