-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 1, before sqlite.sql is run: the old tables make room.
ALTER TABLE run RENAME TO run_1;
ALTER TABLE object_set_member RENAME TO object_set_member_1;
ALTER TABLE object_set RENAME TO object_set_1;
ALTER TABLE object RENAME TO object_1;
ALTER TABLE executable RENAME TO executable_1;
ALTER TABLE environment RENAME TO environment_1;
ALTER TABLE ancestors RENAME TO ancestors_1;
DROP INDEX object_set_member_object;
DROP INDEX run_job;
DROP INDEX run_array;
DROP INDEX run_het;
DROP INDEX run_start;
DROP INDEX run_user;
DROP INDEX run_executable;
DROP INDEX run_object_set;
