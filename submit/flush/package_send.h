/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which packages of a run get a record, and their records one after the other.
 */
#ifndef JOBTRAIL_PACKAGE_SEND_H
#define JOBTRAIL_PACKAGE_SEND_H

#include "submit/facts/package_version.h"
#include "submit/flush/ledger_send.h"
#include "submit/record/package_record.h"

/* Gives a record for each package of the run, and adds their number to `*records`. Returns 0,
 * -ENOMEM, -EIO (see package_record_build()), or what `give` returned. */
int package_send(const struct ledger_send *send, struct package_versions *versions,
                 const struct capture *capture, const struct package_run *run, uint64_t *records);

/* Whether the package rules keep a package. */
int package_kept(const void *policy, const struct package *package);

#endif
