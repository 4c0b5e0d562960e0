/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of a jobtrail with an extension more, for a loader of the tests: it brings a column of
 * `run_own` and fills it.
 */
#include "submit/load/database/schema.h"

#include <stddef.h>

const char schema_next_sqlite[] = "ALTER TABLE run_own ADD COLUMN made TEXT;"
                                  "UPDATE run_own SET made = uuid;";
const char schema_next_mariadb[] = "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS made CHAR(36);"
                                   "UPDATE run_own SET made = uuid WHERE made IS NULL;";

const struct schema_part schema_parts[] = {
    SCHEMA_PART(tables, "coverage"), SCHEMA_PART(libraries, NULL),
    SCHEMA_PART(routines, NULL),     SCHEMA_PART(witness, "ranks"),
    SCHEMA_PART(profile, "profile"), SCHEMA_PART(views, NULL),
    SCHEMA_PART(next, NULL),         {0},
};
const struct schema_part schema_conflict = SCHEMA_PART(conflict, NULL);
