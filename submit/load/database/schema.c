/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/schema.h"

#include <stddef.h>

const struct schema_part schema_parts[] = {
    SCHEMA_PART(tables, "coverage"),
    SCHEMA_PART(libraries, NULL),
    SCHEMA_PART(routines, NULL),
    SCHEMA_PART(profile, "profile"),
    SCHEMA_PART(witness, "ranks"),
    SCHEMA_PART(views, NULL),
    {0},
};
const struct schema_part schema_conflict = SCHEMA_PART(conflict, NULL);
