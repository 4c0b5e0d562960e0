-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 3, before sqlite.sql is run: the tables whose keys have an owner now make room, with
-- their indexes; the views go, since they name them.
DROP VIEW run;
DROP VIEW xalt_run;
DROP VIEW xalt_object;
DROP VIEW join_run_object;
DROP VIEW xalt_link;
DROP VIEW join_link_object;
DROP VIEW xalt_env_name;
DROP VIEW environment_member;
DROP VIEW join_run_env;
DROP VIEW xalt_total_env;
DROP VIEW xalt_function;
DROP VIEW join_link_function;
DROP VIEW xalt_pkg;
DROP VIEW xalt_user;
DROP VIEW xalt_account;
DROP VIEW xalt_field_of_science;
DROP INDEX run_own_job_part;
DROP INDEX run_own_program;
DROP INDEX run_own_start;
DROP INDEX link_time;
DROP INDEX link_executable;
DROP INDEX link_object_set;
DROP INDEX link_function_set;
DROP INDEX run_package_package;
DROP INDEX coverage_job;
DROP INDEX coverage_start;
ALTER TABLE run_own RENAME TO run_own_3;
ALTER TABLE link RENAME TO link_3;
ALTER TABLE run_package RENAME TO run_package_3;
ALTER TABLE coverage RENAME TO coverage_3;
