/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file of profiles that a node has kept of a step, as records:
 * profile.SYSHOST.DATE.USER.UUID.json, one for each executable of each MPI program of which it
 * has ranks. Its keys are in contrib/profile/profile_keys.def.
 *
 * Root alone writes such records, and says of which step the file is and where it lies. What it
 * tells of the file's content is what a reader has told that runs as the job's user.
 */
#ifndef JOBTRAIL_PROFILE_RECORD_H
#define JOBTRAIL_PROFILE_RECORD_H

#include <stdint.h>

#include "contrib/profile/record/profile_told.h"
#include "submit/record/step_part.h"

struct profile_source {
    struct step_part part;
    const char *path;
    uint64_t bytes;
    uint64_t made_ns;                /* since the Epoch */
    const struct profile_told *told; /* NULL: the file is the whole step's, which was joined */
};

/* Builds the record, of what is sound. The same step, node, program and executable give the same
 * uuid. Returns 0, -ENOMEM, or -EIO as step_part_uuid(). record_free() releases `*record`. */
int profile_record_build(const struct profile_source *source, struct built_record *record);

#endif
