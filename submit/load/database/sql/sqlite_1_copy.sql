-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 1, after sqlite.sql: the rows of the old tables. identity(...) is the loader's
-- own function. Version 1 did not say on which system an object is: it becomes that of one of the
-- runs. Therefore an old set of objects will be stored once more when a new run has the same.

-- Uuids were kept as they were written: in lower case now, as of records that are loaded. A run that
-- is there in both cases stays once, with its end.
DELETE FROM run_1 WHERE is_start_only <> 0 AND lower(uuid) IN
    (SELECT lower(uuid) FROM run_1 WHERE is_start_only = 0 AND uuid <> lower(uuid));
UPDATE OR IGNORE run_1 SET uuid = lower(uuid) WHERE uuid <> lower(uuid);
DELETE FROM run_1 WHERE uuid <> lower(uuid);

INSERT INTO executable (id, identity, path, hash_id)
SELECT id, identity(path, hash_id), path, hash_id FROM executable_1;

INSERT INTO object_set SELECT id, bytes(hash) FROM object_set_1;
INSERT INTO object_set_member SELECT object_set_id, object_id FROM object_set_member_1;
CREATE TEMP TABLE seen_on AS
SELECT member.object_id, max(set_host.syshost) AS syshost
FROM object_set_member_1 AS member
JOIN (SELECT object_set_id, max(syshost) AS syshost FROM run_1 GROUP BY object_set_id) AS set_host
    USING (object_set_id)
GROUP BY member.object_id;
CREATE UNIQUE INDEX temp.seen_on_object ON seen_on (object_id);
INSERT INTO object (id, identity, path, hash, syshost)
SELECT id, identity(path, hash, coalesce(syshost, '')), path, hash, coalesce(syshost, '')
FROM object_1 LEFT JOIN seen_on ON object_id = id;
DROP TABLE seen_on;

INSERT OR IGNORE INTO env_name (identity, name)
SELECT identity(member.key), member.key
FROM environment_1, json_each(environment_1.json) AS member;
INSERT OR IGNORE INTO env_value (identity, env_name_id, value)
SELECT identity(member.key, coalesce(member.value, '')), env_name.id, coalesce(member.value, '')
FROM environment_1, json_each(environment_1.json) AS member
JOIN env_name ON env_name.identity = identity(member.key);
INSERT INTO environment SELECT id, bytes(hash), (SELECT json_group_array(value_id) FROM (
    SELECT env_value.id AS value_id FROM json_each(environment_1.json) AS member
    JOIN env_value ON env_value.identity = identity(member.key, coalesce(member.value, ''))
    ORDER BY 1))
FROM environment_1;

INSERT INTO ancestors SELECT id, bytes(hash), json FROM ancestors_1;

CREATE TEMP TABLE built AS
SELECT uuid AS run_uuid,
       identity(build_uuid, build_user, build_host, build_syshost, build_os, build_cwd,
                build_compiler, build_compiler_path, build_modules, build_lmfiles, build_xalt,
                build_epoch) AS identity
FROM run_1
WHERE coalesce(build_uuid, build_user, build_host, build_syshost, build_os, build_cwd,
               build_compiler, build_compiler_path, build_modules, build_lmfiles, build_xalt,
               build_epoch) IS NOT NULL;
CREATE UNIQUE INDEX temp.built_run ON built (run_uuid);
INSERT OR IGNORE INTO build (identity, build_uuid, build_user, build_host, build_syshost, build_os,
    build_cwd, build_compiler, build_compiler_path, build_modules, build_lmfiles, build_xalt,
    build_epoch)
SELECT identity, build_uuid, build_user, build_host, build_syshost, build_os, build_cwd,
    build_compiler, build_compiler_path, build_modules, build_lmfiles, build_xalt, build_epoch
FROM run_1 JOIN built ON run_uuid = uuid;

CREATE TABLE run_2 AS
SELECT run_1.rowid AS id, run_1.uuid, is_start_only,
    datetime(start_time, 'unixepoch', 'localtime') AS date, user, account,
    queue, scheduler, syshost, submit_host, container, executable_id, exec_type, exec_epoch, cwd,
    cmdline, object_set_id, environment_id, ancestors_id, build.id AS build_id,
    NULL AS ancestor_pids, record_epoch, start_time,
    end_time, run_time, probability, num_tasks, num_nodes, num_cores, num_threads, num_gpus, job_id,
    job_id_raw, step_id, array_job_id, array_task_id, het_job_id, het_offset, restart_count,
    cluster, partition, qos, node, node_id, task_id, cpus_alloc, gpus_alloc, dropped, exit_code,
    signal, core_dumped, end_source, end_time_error
FROM run_1
LEFT JOIN built ON built.run_uuid = run_1.uuid
LEFT JOIN build ON build.identity = built.identity;
DROP TABLE built;

DROP TABLE run_1;
DROP TABLE object_set_member_1;
DROP TABLE object_set_1;
DROP TABLE object_1;
DROP TABLE executable_1;
DROP TABLE environment_1;
DROP TABLE ancestors_1;
