-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 2, after sqlite.sql: the rows of the old tables, all but those of `run`. What
-- identifies a row was written in hex digits.

-- Uuids were kept as they were written: in lower case now, as of records that are loaded. A run that
-- is there in both cases stays once, with its end.
DELETE FROM run_2 WHERE is_start_only <> 0 AND lower(uuid) IN
    (SELECT lower(uuid) FROM run_2 WHERE is_start_only = 0 AND uuid <> lower(uuid));
UPDATE OR IGNORE run_2 SET uuid = lower(uuid) WHERE uuid <> lower(uuid);
DELETE FROM run_2 WHERE uuid <> lower(uuid);

INSERT OR REPLACE INTO store_state SELECT name, value FROM store_state_2;
INSERT INTO module SELECT id, bytes(identity), name FROM module_2;
INSERT INTO module_path SELECT bytes(identity), prefix, module_id FROM module_path_2;
INSERT INTO executable SELECT id, bytes(identity), path, hash_id, module_id FROM executable_2;
INSERT INTO object SELECT id, bytes(identity), path, hash, syshost, added, module_id FROM object_2;
INSERT INTO object_set SELECT id, bytes(hash) FROM object_set_2;
INSERT INTO object_set_member SELECT * FROM object_set_member_2;
INSERT INTO env_name SELECT id, bytes(identity), name FROM env_name_2;
INSERT INTO env_value SELECT id, bytes(identity), env_name_id, value FROM env_value_2;
INSERT INTO environment SELECT id, bytes(hash), (SELECT json_group_array(env_value_id) FROM (
    SELECT env_value_id FROM environment_member_2 WHERE environment_id = environment_2.id ORDER BY 1))
FROM environment_2;
INSERT INTO ancestors SELECT id, bytes(hash), json FROM ancestors_2;
INSERT INTO build SELECT id, bytes(identity), build_uuid, build_user, build_host, build_syshost,
    build_os, build_cwd, build_compiler, build_compiler_path, build_modules,
    build_lmfiles, build_xalt, build_epoch FROM build_2;
INSERT INTO function_name SELECT id, bytes(identity), name FROM function_name_2;
INSERT INTO function_set SELECT id, bytes(hash) FROM function_set_2;
INSERT INTO function_set_member SELECT * FROM function_set_member_2;
INSERT INTO link (id, uuid, build_user, xalt_uuid, proven, date, executable_id, object_set_id,
    function_set_id, link_program, link_path, module_id, link_line, cwd, build_host, build_syshost,
    build_epoch)
SELECT id, uuid, coalesce(build_user, ''), uuid, 1, date, executable_id, object_set_id,
    function_set_id, link_program, link_path, module_id, link_line, cwd, build_host, build_syshost,
    build_epoch
FROM link_2;
INSERT INTO package SELECT id, bytes(identity), program, name, version, path FROM package_2;
INSERT OR IGNORE INTO run_package (run_uuid, owner, package_id, proven)
SELECT lower(run_uuid), 0, package_id, 1 FROM run_package_2;
INSERT INTO coverage
SELECT uuid, owner(user, job_id_raw, restart_count, cluster), 1, position, cluster, syshost, user,
    account, partition, job_id_raw, array_job_id, array_task_id, het_job_id, het_offset,
    restart_count, node, dropped, step_id, outcome, program, tasks, first_task, leader,
    core_seconds, start_time, end_time
FROM coverage_2;
INSERT INTO account_field SELECT * FROM account_field_2;
DROP TABLE store_state_2;
DROP TABLE module_2;
DROP TABLE module_path_2;
DROP TABLE executable_2;
DROP TABLE object_2;
DROP TABLE object_set_2;
DROP TABLE object_set_member_2;
DROP TABLE env_name_2;
DROP TABLE env_value_2;
DROP TABLE environment_2;
DROP TABLE environment_member_2;
DROP TABLE ancestors_2;
DROP TABLE build_2;
DROP TABLE function_name_2;
DROP TABLE function_set_2;
DROP TABLE function_set_member_2;
DROP TABLE link_2;
DROP TABLE package_2;
DROP TABLE run_package_2;
DROP TABLE coverage_2;
DROP TABLE account_field_2;
