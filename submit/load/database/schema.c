/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/schema.h"

#include <stddef.h>

/* Version 5 is the first. */
static const char *const sqlite_steps[SCHEMA_VERSION] = {
    [5] = "ALTER TABLE ending ADD COLUMN missing_library TEXT;",
    [6] = "CREATE TABLE IF NOT EXISTS library_event (uuid TEXT NOT NULL, proven INTEGER NOT "
          "NULL, event TEXT NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, library TEXT NOT "
          "NULL, group_name TEXT, path TEXT NOT NULL, path_before TEXT, files INTEGER, links "
          "INTEGER, uses INTEGER, first_scan INTEGER, found REAL NOT NULL, after_time REAL, "
          "before_time REAL, source TEXT, uid INTEGER, login_uid INTEGER, user TEXT, program "
          "TEXT, command TEXT, cluster TEXT, syshost TEXT, node TEXT, job_id_raw INTEGER, "
          "step_id TEXT, was_size INTEGER, was_mtime REAL, was_sha1 TEXT, was_build_id TEXT, "
          "was_soname TEXT, was_package TEXT, was_version TEXT, was_owner INTEGER, is_size "
          "INTEGER, is_mtime REAL, is_sha1 TEXT, is_build_id TEXT, is_soname TEXT, is_package "
          "TEXT, is_version TEXT, is_owner INTEGER, PRIMARY KEY (uuid)) WITHOUT ROWID; CREATE "
          "INDEX IF NOT EXISTS library_event_library ON library_event (library, found); CREATE "
          "INDEX IF NOT EXISTS library_event_found ON library_event (found);",
    [7] = "CREATE TABLE IF NOT EXISTS routine_library (id INTEGER, identity BLOB NOT "
          "NULL UNIQUE, path TEXT NOT NULL, build_id TEXT NOT NULL, module_id INTEGER, "
          "PRIMARY KEY (id)); CREATE TABLE IF NOT EXISTS routine (id INTEGER, identity "
          "BLOB NOT NULL UNIQUE, routine_library_id INTEGER NOT NULL, name TEXT NOT "
          "NULL, PRIMARY KEY (id)); CREATE INDEX IF NOT EXISTS routine_of_library ON "
          "routine (routine_library_id); CREATE TABLE IF NOT EXISTS run_routine "
          "(run_id INTEGER NOT NULL, routine_id INTEGER NOT NULL, first_call REAL, "
          "calls INTEGER, is_at_least INTEGER, PRIMARY KEY (run_id, routine_id)) "
          "WITHOUT ROWID; CREATE INDEX IF NOT EXISTS run_routine_routine ON "
          "run_routine (routine_id); CREATE TABLE IF NOT EXISTS run_routine_library "
          "(run_id INTEGER NOT NULL, routine_library_id INTEGER NOT NULL, PRIMARY KEY "
          "(run_id, routine_library_id)) WITHOUT ROWID; CREATE INDEX IF NOT EXISTS "
          "run_routine_library_library ON run_routine_library (routine_library_id); "
          "CREATE TABLE IF NOT EXISTS run_routine_watch (run_id INTEGER NOT NULL, "
          "watched INTEGER NOT NULL, missed INTEGER NOT NULL, PRIMARY KEY (run_id));",
};
static const char *const mariadb_steps[SCHEMA_VERSION] = {
    [5] = "ALTER TABLE ending ADD COLUMN IF NOT EXISTS missing_library VARCHAR(255);",
    [6] = "CREATE TABLE IF NOT EXISTS library_event (uuid CHAR(36) CHARACTER SET ascii COLLATE "
          "ascii_bin NOT NULL, proven TINYINT NOT NULL, event CHAR(36) CHARACTER SET ascii "
          "COLLATE ascii_bin NOT NULL, kind VARCHAR(255) NOT NULL, what VARCHAR(255) NOT NULL, "
          "library VARCHAR(255) NOT NULL, group_name VARCHAR(255), path TEXT NOT NULL, "
          "path_before TEXT, files BIGINT, links BIGINT, uses BIGINT, first_scan BIGINT, found "
          "DOUBLE NOT NULL, after_time DOUBLE, before_time DOUBLE, source VARCHAR(255), uid "
          "BIGINT, login_uid BIGINT, user VARCHAR(255), program TEXT, command TEXT, cluster "
          "VARCHAR(255), syshost VARCHAR(255), node VARCHAR(255), job_id_raw BIGINT, step_id "
          "VARCHAR(255), was_size BIGINT, was_mtime DOUBLE, was_sha1 VARCHAR(255), was_build_id "
          "VARCHAR(255), was_soname VARCHAR(255), was_package VARCHAR(255), was_version "
          "VARCHAR(255), was_owner BIGINT, is_size BIGINT, is_mtime DOUBLE, is_sha1 "
          "VARCHAR(255), is_build_id VARCHAR(255), is_soname VARCHAR(255), is_package "
          "VARCHAR(255), is_version VARCHAR(255), is_owner BIGINT, PRIMARY KEY (uuid), INDEX "
          "library_event_library (library, found), INDEX library_event_found (found)) ENGINE = "
          "InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;",
    [7] = "CREATE TABLE IF NOT EXISTS routine_library (id INT UNSIGNED NOT NULL "
          "AUTO_INCREMENT, identity BINARY(20) NOT NULL UNIQUE, path TEXT NOT NULL, "
          "build_id VARCHAR(255) NOT NULL, module_id INT UNSIGNED, PRIMARY KEY (id)) "
          "ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin; "
          "CREATE TABLE IF NOT EXISTS routine (id INT UNSIGNED NOT NULL "
          "AUTO_INCREMENT, identity BINARY(20) NOT NULL UNIQUE, routine_library_id INT "
          "UNSIGNED NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id), INDEX "
          "routine_of_library (routine_library_id)) ENGINE = InnoDB DEFAULT CHARSET = "
          "utf8mb4 COLLATE = utf8mb4_nopad_bin; CREATE TABLE IF NOT EXISTS run_routine "
          "(run_id BIGINT UNSIGNED NOT NULL, routine_id INT UNSIGNED NOT NULL, "
          "first_call DOUBLE, calls BIGINT, is_at_least TINYINT, PRIMARY KEY (run_id, "
          "routine_id), INDEX run_routine_routine (routine_id)) ENGINE = InnoDB "
          "DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin; CREATE TABLE IF NOT "
          "EXISTS run_routine_library (run_id BIGINT UNSIGNED NOT NULL, "
          "routine_library_id INT UNSIGNED NOT NULL, PRIMARY KEY (run_id, "
          "routine_library_id), INDEX run_routine_library_library "
          "(routine_library_id)) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = "
          "utf8mb4_nopad_bin; CREATE TABLE IF NOT EXISTS run_routine_watch (run_id "
          "BIGINT UNSIGNED NOT NULL, watched BIGINT NOT NULL, missed BIGINT NOT NULL, "
          "PRIMARY KEY (run_id)) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = "
          "utf8mb4_nopad_bin;",
};

const struct schema schema_sqlite = {SCHEMA_VERSION, schema_tables_sqlite, schema_views_sqlite,
                                     sqlite_steps};
const struct schema schema_mariadb = {SCHEMA_VERSION, schema_tables_mariadb, schema_views_mariadb,
                                      mariadb_steps};
