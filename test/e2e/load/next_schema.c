/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of a version to come, for a loader of the tests: a column of `run_own` more, which a
 * step fills.
 */
#include "submit/load/database/schema.h"

#include <stddef.h>

static const char *const sqlite_steps[SCHEMA_VERSION + 1] = {
    [SCHEMA_VERSION] = "ALTER TABLE run_own ADD COLUMN made TEXT;"
                       "UPDATE run_own SET made = uuid;",
};
static const char *const mariadb_steps[SCHEMA_VERSION + 1] = {
    [SCHEMA_VERSION] = "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS made CHAR(36);"
                       "UPDATE run_own SET made = uuid WHERE made IS NULL;",
};

const struct schema schema_sqlite = {SCHEMA_VERSION + 1, schema_tables_sqlite, schema_views_sqlite,
                                     sqlite_steps};
const struct schema schema_mariadb = {SCHEMA_VERSION + 1, schema_tables_mariadb,
                                      schema_views_mariadb, mariadb_steps};
