/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/schema.h"

#include <stddef.h>

const struct schema schema_sqlite = {SCHEMA_VERSION, schema_tables_sqlite, schema_views_sqlite,
                                     NULL};
const struct schema schema_mariadb = {SCHEMA_VERSION, schema_tables_mariadb, schema_views_mariadb,
                                      NULL};
