/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/schema.h"

#include <stddef.h>

#include "extensions.h"

/* clang-format off */
const struct schema_part schema_parts[] = {
    SCHEMA_PART(tables, "coverage"),
#if JOBTRAIL_LIBRARIES
    SCHEMA_PART(libraries, NULL),
#endif
#if JOBTRAIL_ROUTINES
    SCHEMA_PART(routines, NULL),
#endif
#if JOBTRAIL_PROFILE
    SCHEMA_PART(profile, "profile"),
#endif
#if JOBTRAIL_WITNESS
    SCHEMA_PART(witness, "ranks"),
#endif
    SCHEMA_PART(views, NULL),
    {0},
};
/* clang-format on */
const struct schema_part schema_conflict = SCHEMA_PART(conflict, NULL);
