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
    [7] = "ALTER TABLE coverage ADD COLUMN witness TEXT;"
          "ALTER TABLE coverage ADD COLUMN witness_processes INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_older INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_partial INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_left INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_lost INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_overruns INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_unheard REAL;"
          "ALTER TABLE coverage ADD COLUMN witness_agreed INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_explained INTEGER;"
          "ALTER TABLE coverage ADD COLUMN witness_causes TEXT;"
          "ALTER TABLE coverage ADD COLUMN witness_unexplained INTEGER;"
          "ALTER TABLE layout ADD COLUMN captured_by TEXT; "
          "ALTER TABLE layout ADD COLUMN mem_alloc INTEGER; "
          "ALTER TABLE run_own ADD COLUMN user_cpu REAL; "
          "ALTER TABLE run_own ADD COLUMN system_cpu REAL; "
          "ALTER TABLE run_own ADD COLUMN max_rss INTEGER; "
          "ALTER TABLE run_own ADD COLUMN disk_read INTEGER; "
          "ALTER TABLE run_own ADD COLUMN disk_write INTEGER;",
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
    [7] = "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness VARCHAR(255);"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_processes BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_older BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_partial BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_left BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_lost BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_overruns BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_unheard DOUBLE;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_agreed BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_explained BIGINT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_causes TEXT;"
          "ALTER TABLE coverage ADD COLUMN IF NOT EXISTS witness_unexplained BIGINT;"
          "ALTER TABLE layout ADD COLUMN IF NOT EXISTS captured_by VARCHAR(255); "
          "ALTER TABLE layout ADD COLUMN IF NOT EXISTS mem_alloc BIGINT; "
          "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS user_cpu DOUBLE; "
          "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS system_cpu DOUBLE; "
          "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS max_rss BIGINT; "
          "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS disk_read BIGINT; "
          "ALTER TABLE run_own ADD COLUMN IF NOT EXISTS disk_write BIGINT;",
};

const struct schema schema_sqlite = {SCHEMA_VERSION, schema_tables_sqlite, schema_views_sqlite,
                                     sqlite_steps};
const struct schema schema_mariadb = {SCHEMA_VERSION, schema_tables_mariadb, schema_views_mariadb,
                                      mariadb_steps};
