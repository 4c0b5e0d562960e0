/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/schema.h"

#include <stddef.h>

#include "extensions.h"

const struct schema_part schema_parts[] = {
    SCHEMA_PART(tables, "coverage", true),
    SCHEMA_PART(libraries, NULL, JOBTRAIL_LIBRARIES),
    SCHEMA_PART(routines, NULL, JOBTRAIL_ROUTINES),
    SCHEMA_PART(profile, "profile", JOBTRAIL_PROFILE),
    SCHEMA_PART(witness, "ranks", JOBTRAIL_WITNESS),
    SCHEMA_PART(views, NULL, true),
    {0},
};
const struct schema_part schema_conflict = SCHEMA_PART(conflict, NULL, true);
