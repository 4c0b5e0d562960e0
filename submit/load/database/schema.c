/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/schema.h"

#include <stddef.h>

/* Version 5 is the first. */
static const char *const sqlite_steps[SCHEMA_VERSION] = {
    [5] = "ALTER TABLE ending ADD COLUMN missing_library TEXT;",
};
static const char *const mariadb_steps[SCHEMA_VERSION] = {
    [5] = "ALTER TABLE ending ADD COLUMN IF NOT EXISTS missing_library VARCHAR(255);",
};

const struct schema schema_sqlite = {SCHEMA_VERSION, schema_tables_sqlite, schema_views_sqlite,
                                     sqlite_steps};
const struct schema schema_mariadb = {SCHEMA_VERSION, schema_tables_mariadb, schema_views_mariadb,
                                      mariadb_steps};
