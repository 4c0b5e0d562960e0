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
    [7] = "CREATE TABLE IF NOT EXISTS ranks (uuid TEXT NOT NULL, owner INTEGER NOT NULL, "
          "proven INTEGER NOT NULL, cluster TEXT, syshost TEXT, job_id_raw INTEGER NOT "
          "NULL, array_job_id INTEGER, array_task_id INTEGER, het_job_id INTEGER, "
          "het_offset INTEGER, restart_count INTEGER, node TEXT NOT NULL, user TEXT, "
          "account TEXT, partition TEXT, step_id TEXT NOT NULL, step_tasks INTEGER, "
          "step_nodes INTEGER, node_tasks INTEGER, program TEXT NOT NULL, ranks INTEGER "
          "NOT NULL, unseen INTEGER NOT NULL, start_time REAL, end_time REAL NOT NULL, "
          "timed INTEGER, elapsed_min REAL, elapsed_mean REAL, elapsed_max REAL, "
          "measured INTEGER, cpu_min REAL, cpu_mean REAL, cpu_max REAL, memory_min "
          "INTEGER, memory_mean REAL, memory_max INTEGER, largest_task INTEGER, "
          "ended_zero INTEGER, ended_code INTEGER, ended_signal INTEGER, ended_unknown "
          "INTEGER, ends TEXT, failed_task INTEGER, failed_time REAL, failed_end TEXT, "
          "PRIMARY KEY (uuid, owner)) WITHOUT ROWID; CREATE INDEX IF NOT EXISTS "
          "ranks_job ON ranks (job_id_raw, step_id); CREATE INDEX IF NOT EXISTS "
          "ranks_end ON ranks (end_time);",
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
    [7] = "CREATE TABLE IF NOT EXISTS ranks (uuid CHAR(36) CHARACTER SET ascii COLLATE "
          "ascii_bin NOT NULL, owner BIGINT NOT NULL, proven TINYINT NOT NULL, cluster "
          "VARCHAR(255), syshost VARCHAR(255), job_id_raw BIGINT NOT NULL, array_job_id "
          "BIGINT, array_task_id BIGINT, het_job_id BIGINT, het_offset BIGINT, "
          "restart_count BIGINT, node VARCHAR(255) NOT NULL, user VARCHAR(255), account "
          "VARCHAR(255), `partition` VARCHAR(255), step_id VARCHAR(255) NOT NULL, "
          "step_tasks BIGINT, step_nodes BIGINT, node_tasks BIGINT, program TEXT NOT "
          "NULL, ranks BIGINT NOT NULL, unseen BIGINT NOT NULL, start_time DOUBLE, "
          "end_time DOUBLE NOT NULL, timed BIGINT, elapsed_min DOUBLE, elapsed_mean "
          "DOUBLE, elapsed_max DOUBLE, measured BIGINT, cpu_min DOUBLE, cpu_mean DOUBLE, "
          "cpu_max DOUBLE, memory_min BIGINT, memory_mean DOUBLE, memory_max BIGINT, "
          "largest_task BIGINT, ended_zero BIGINT, ended_code BIGINT, ended_signal "
          "BIGINT, ended_unknown BIGINT, ends TEXT, failed_task BIGINT, failed_time "
          "DOUBLE, failed_end VARCHAR(255), PRIMARY KEY (uuid, owner), INDEX ranks_job "
          "(job_id_raw, step_id), INDEX ranks_end (end_time)) ENGINE = InnoDB DEFAULT "
          "CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;",
};

const struct schema schema_sqlite = {SCHEMA_VERSION, schema_tables_sqlite, schema_views_sqlite,
                                     sqlite_steps};
const struct schema schema_mariadb = {SCHEMA_VERSION, schema_tables_mariadb, schema_views_mariadb,
                                      mariadb_steps};
