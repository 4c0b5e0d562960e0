/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scripts under sql/ as the build embeds them, and the version of the tables that they make.
 */
#ifndef JOBTRAIL_SCHEMA_H
#define JOBTRAIL_SCHEMA_H

#define SCHEMA_VERSION 4

extern const char schema_sqlite[], schema_views_sqlite[];
extern const char schema_sqlite_1_rename[], schema_sqlite_1_copy[];
extern const char schema_sqlite_2_rename[], schema_sqlite_2_copy[], schema_sqlite_run_copy[];
extern const char schema_sqlite_3_rename[], schema_sqlite_3_copy[];
extern const char schema_mariadb[], schema_views_mariadb[];
extern const char schema_mariadb_2_rename[], schema_mariadb_2_copy[];
extern const char schema_mariadb_3_alter[], schema_mariadb_3_copy[];

#endif
