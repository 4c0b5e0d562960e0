/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose a record is: the user, and which job, restart and cluster. A uuid may be in anybody's
 * record, so that two records are of the same run only where these agree, too.
 *
 * An owner is one number of 63 bits, of a sha1, as it stands in every run's row. Of a record that
 * jobtrail wrote all but the job's number is what root knows, so nobody can choose what it is made
 * of. The lowest bit says who wrote the record: XALT's records are their user's word, in all that
 * is in them, and have never the owner of one of ours.
 */
#ifndef JOBTRAIL_RECORD_OWNER_H
#define JOBTRAIL_RECORD_OWNER_H

#include "submit/load/database/database.h"
#include "submit/load/parse/load_record.h"

/* The owner of a package record that does not say whose it is: it is of a run that XALT wrote. */
#define OWNER_OF_XALT 0

/* Sets `*owner`, which is positive. Scripts that migrate a store make the same. A run without
 * slurmT.restart_count is XALT's. Returns 0; or -errno as hash_pieces(). */
int record_owner_of_run(const struct run_record *run, int64_t *owner);

/* The same; OWNER_OF_XALT for a package without ownerT.restart_count. */
int record_owner_of_package(const struct package_record *package, int64_t *owner);

/* From values as they stand in the store; a job is a number, or XALT's text. */
int record_owner_of_values(const struct value *user, const struct value *job,
                           const struct value *restart_count, const struct value *cluster,
                           int64_t *owner);

#endif
