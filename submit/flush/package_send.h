/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which packages of a run get a record, and their records one after the other.
 */
#ifndef JOBTRAIL_PACKAGE_SEND_H
#define JOBTRAIL_PACKAGE_SEND_H

#include "submit/facts/package_version.h"
#include "submit/record/package_record.h"

struct package_send {
    const struct conf *conf;
    const struct command_lines *lines;
    const struct job_identity *identity;
    const void *policy; /* usable; its package rules are asked */
    struct package_versions *versions;
    /* Takes a record; a result other than 0 ends the work and is returned. */
    int (*give)(void *context, const struct built_record *record);
    void *context;
};

/* Gives a record for each package of the run, and adds their number to `*records`. Returns 0,
 * -ENOMEM, -EIO (see package_record_build()), or what `give` returned. */
int package_send(const struct package_send *send, const struct capture *capture,
                 const struct package_run *run, uint64_t *records);

/* Whether the package rules keep a package. */
int package_kept(const void *policy, const struct package *package);

#endif
