/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A package that a run loaded as XALT's JSON record. Its keys are in submit/definition/keys.def.
 */
#pragma once

#include "submit/evidence/ledger_read.h"
#include "submit/evidence/package_read.h"
#include "submit/record/command_line.h"
#include "submit/record/record.h"

struct package_source {
    const struct conf *conf;
    const struct command_lines *lines;
    const struct job_identity *identity;
    const struct capture *capture; /* of the run */
    const struct package *package;
    const char *version; /* "": not known */
};

/* Builds the record pkg.SYSHOST.DATE.USER.UUID.12HEX.json; DATE and UUID are the run's, the digits
 * are of a hash of program and name, so that a package has the same name whenever it is built.
 * Returns 0 or -ENOMEM. record_free() releases `*record`. */
int package_record_build(const struct package_source *source, struct built_record *record);

/* ownerT: whose it is, as in userT and slurmT of the run's record. NULL when out of memory. */
struct json_object *package_owner_table(const struct conf *conf,
                                        const struct job_identity *identity);
