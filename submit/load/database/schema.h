/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables and views of a store: those of the core, and those of each extension, also where it is
 * not built: programs that have it may read the store.
 */
#pragma once

/* Tables of another version are refused. contrib/jobtrail/store.py says the same. */
#define SCHEMA_VERSION 1

enum schema_dialect { SCHEMA_SQLITE, SCHEMA_MARIADB, SCHEMA_DIALECTS };

struct schema_part {
    const char *name;
    const char *script[SCHEMA_DIALECTS]; /* may be run again */
    const char *owned; /* its table where a uuid is unique by owner alone; NULL: none has that */
};

/* In the order to be made; the last one has no name. */
extern const struct schema_part schema_parts[];

/* The view `conflict`, to which more can be joined by UNION ALL. */
extern const struct schema_part schema_conflict;

/* Statements that remove what has expired, in this order; behind the last one is NULL. See
 * sql/expire.sql. */
enum { SCHEMA_EXPIRY_MOST = 64 };
extern const char *const schema_expiry[];

/* The scripts, which CMake makes of sql/, and of contrib/NAME/load/tables.sql. */
#define SCHEMA_SCRIPT(name) extern const char schema_##name##_sqlite[], schema_##name##_mariadb[]
SCHEMA_SCRIPT(tables);
SCHEMA_SCRIPT(libraries);
SCHEMA_SCRIPT(routines);
SCHEMA_SCRIPT(witness);
SCHEMA_SCRIPT(profile);
SCHEMA_SCRIPT(views);
SCHEMA_SCRIPT(conflict);

/* A row of schema_parts. */
#define SCHEMA_PART(name, owned)                                                                   \
    {                                                                                              \
#name, {schema_##name##_sqlite, schema_##name##_mariadb }, owned                           \
    }
