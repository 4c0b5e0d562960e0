-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The views of the store, in both databases, as tables.sql.

-- A run as one row. Of outer joins no table is read that nothing is asked of, but in SQLite the two that runs
-- are chosen by must be free to come first.
CREATE OR REPLACE VIEW run AS SELECT
    run_own.id, run_own.uuid, run_own.is_start_only, run_own.date, job_part.user, job_part.account,
    job_part.queue, job_part.scheduler, job_part.syshost, job_part.submit_host, job_part.container,
    program.executable_id, program.exec_type, program.exec_epoch, job_part.cwd, run_own.cmdline,
    program.object_set_id, program.unlisted, run_own.environment_id, run_own.ancestors_id, run_own.ancestor_pids,
    program.build_id, run_own.record_epoch, run_own.start_time, run_own.end_time, run_own.run_time,
    layout.probability, layout.num_tasks, layout.num_nodes, layout.num_cores, layout.num_threads,
    layout.num_gpus, job_part.job_id, job_part.job_id_raw, run_own.step_id, job_part.array_job_id,
    job_part.array_task_id, job_part.het_job_id, job_part.het_offset, job_part.restart_count,
    job_part.cluster, job_part.`partition`, job_part.qos, job_part.node, job_part.uid, layout.node_id,
    layout.task_id, layout.cpus_alloc, layout.gpus_alloc, job_part.dropped, ending.exit_code,
    ending.`signal`, ending.core_dumped, ending.end_source, ending.outlived, ending.missing_library, run_own.end_time_error,
    run_own.end_time_min, run_own.end_time_max, run_own.pid, run_own.core_seconds,
    run_own.core_seconds_max, run_own.core_day, run_own.leads, run_own.clock_step,
    run_own.user_cpu, run_own.system_cpu, run_own.max_rss, run_own.disk_read, run_own.disk_write,
    run_own.forked, run_own.forked_signaled, run_own.forked_cpu, run_own.forked_max_rss,
    run_own.forked_read, run_own.forked_write, run_own.forked_least,
    layout.captured_by, layout.mem_alloc,
    -- seconds that it may have run for longer than run_time, at the most: not to be added to run_time
    CASE WHEN run_own.end_time_max > run_own.end_time THEN run_own.end_time_max - run_own.end_time ELSE 0 END
        AS uncertain_time,
    run_own.owner, run_own.proven,
    -- of the packages that are this run's, see run_package
    CASE WHEN run_own.owner % 2 = 0 THEN 0 ELSE run_own.owner END AS package_owner
FROM run_own
@CHOOSING@ JOIN program ON program.id = run_own.program_id
@CHOOSING@ JOIN job_part ON job_part.id = run_own.job_part_id
LEFT JOIN layout ON layout.id = run_own.layout_id
LEFT JOIN ending ON ending.id = run_own.ending_id;

-- In these views run_time, num_cores and the others mean what they mean in XALT: run_time x num_cores is inclusive,
-- as of runs at the same time each has all of them. Exclusive core seconds are in `run` alone (core_seconds).
-- XALT's tables as views, with the names and columns that XALT's createDB gives them. What XALT
-- stores COMPRESSed (cmdline, link_line, env_blob) is COMPRESSed in MariaDB too, as it is read, and an array has a
-- blank after each comma, as Python writes it. It is plain text in SQLite, which has no UNCOMPRESS.

CREATE OR REPLACE VIEW xalt_run AS SELECT
    run.id AS run_id,
    coalesce(run.job_id, '') AS job_id,
    run.uuid AS run_uuid,
    run.`date` AS `date`,
    coalesce(run.syshost, '') AS syshost,
    -- as in xalt_link, of the user who built; NULL where their link is not there, or less proven than this
    -- run, and another's has the uuid
    coalesce((SELECT link.xalt_uuid FROM link WHERE link.uuid = @BUILD_UUID@
              AND link.build_user = coalesce(build.build_user, '') AND link.proven >= run.proven),
        CASE WHEN NOT EXISTS (SELECT 1 FROM link WHERE link.xalt_uuid = build.build_uuid)
            THEN build.build_uuid END) AS uuid,
    coalesce(executable.hash_id, '0') AS hash_id,
    coalesce(run.account, '') AS account,
    coalesce(run.exec_type, '') AS exec_type,
    coalesce(run.start_time, 0) AS start_time,
    coalesce(run.end_time, 0) AS end_time,
    coalesce(run.run_time, 0) AS run_time,
    coalesce(run.probability, 1) AS probability,
    coalesce(run.num_cores, 0) AS num_cores,
    coalesce(run.num_nodes, 0) AS num_nodes,
    coalesce(run.num_threads, 0) AS num_threads,
    coalesce(run.num_gpus, 0) AS num_gpus,
    coalesce(run.queue, '') AS queue,
    0 AS sum_runs,
    0e0 AS sum_time,
    coalesce(run.user, '') AS user,
    coalesce(executable.path, '') AS exec_path,
    module.name AS module_name,
    coalesce(run.cwd, '') AS cwd,
    @COMPRESS@(coalesce(@LOOSE@(run.cmdline), '[]')) AS cmdline,
    run.container AS container
FROM run
LEFT JOIN executable ON executable.id = run.executable_id
LEFT JOIN module ON module.id = executable.module_id
LEFT JOIN build ON build.id = run.build_id;

CREATE OR REPLACE VIEW xalt_object AS SELECT
    object.id AS obj_id,
    object.path AS object_path,
    object.syshost AS syshost,
    CASE WHEN object.hash LIKE 'build-id:%' THEN '0' ELSE object.hash END AS hash_id,
    module.name AS module_name,
    object.added AS `timestamp`,
    -- the last part between dots that has no digit (obj_type in XALT's py_src/xalt_util.py)
    CASE
        WHEN object.path @IS_SO@ THEN 'so'
        WHEN object.path @IS_A@ THEN 'a'
        WHEN object.path @IS_O@ THEN 'o'
        ELSE '--'
    END AS lib_type
FROM object
LEFT JOIN module ON module.id = object.module_id;

CREATE OR REPLACE VIEW join_run_object AS SELECT
    run.id * 4294967296 + object_set_member.object_id AS join_id,
    object_set_member.object_id AS obj_id,
    run.id AS run_id,
    date(run.date) AS date
FROM run
JOIN object_set_member ON object_set_member.object_set_id = run.object_set_id;

CREATE OR REPLACE VIEW xalt_link AS SELECT
    link.id AS link_id,
    link.xalt_uuid AS uuid,
    coalesce(executable.hash_id, '0') AS hash_id,
    link.date AS date,
    coalesce(link.link_program, '') AS link_program,
    coalesce(link.link_path, '') AS link_path,
    module.name AS link_module_name,
    @COMPRESS@(coalesce(@LOOSE@(link.link_line), '[]')) AS link_line,
    link.cwd AS cwd,
    link.build_user AS build_user,
    coalesce(link.build_syshost, '') AS build_syshost,
    coalesce(link.build_epoch, 0) AS build_epoch,
    coalesce(executable.path, '') AS exec_path
FROM link
LEFT JOIN executable ON executable.id = link.executable_id
LEFT JOIN module ON module.id = link.module_id;

CREATE OR REPLACE VIEW join_link_object AS SELECT
    link.id * 4294967296 + object_set_member.object_id AS join_id,
    object_set_member.object_id AS obj_id,
    link.id AS link_id,
    date(link.date) AS date
FROM link
JOIN object_set_member ON object_set_member.object_set_id = link.object_set_id;

CREATE OR REPLACE VIEW xalt_env_name AS SELECT
    id AS env_id,
    name AS env_name
FROM env_name;

CREATE OR REPLACE VIEW environment_member AS SELECT
    environment.id AS environment_id,
    member.value AS env_value_id
FROM environment
JOIN @MEMBERS@ AS member;

CREATE OR REPLACE VIEW join_run_env AS SELECT
    run.id * 4294967296 + env_value.id AS join_id,
    env_value.env_name_id AS env_id,
    run.id AS run_id,
    date(run.date) AS date,
    env_value.value AS env_value
FROM run
JOIN environment_member ON environment_member.environment_id = run.environment_id
JOIN env_value ON env_value.id = environment_member.env_value_id;

CREATE OR REPLACE VIEW xalt_total_env AS SELECT
    run.id AS envT_id,
    run.id AS run_id,
    date(run.date) AS date,
    @COMPRESS@((SELECT @OBJECT_OF@(env_name.name, env_value.value)
     FROM environment_member
     JOIN env_value ON env_value.id = environment_member.env_value_id
     JOIN env_name ON env_name.id = env_value.env_name_id
     WHERE environment_member.environment_id = run.environment_id)) AS env_blob
FROM run
WHERE run.environment_id IS NOT NULL;

CREATE OR REPLACE VIEW xalt_function AS SELECT
    id AS func_id,
    name AS function_name
FROM function_name;

CREATE OR REPLACE VIEW join_link_function AS SELECT
    link.id * 4294967296 + function_set_member.function_name_id AS join_id,
    function_set_member.function_name_id AS func_id,
    link.id AS link_id,
    date(link.date) AS date
FROM link
JOIN function_set_member ON function_set_member.function_set_id = link.function_set_id;

CREATE OR REPLACE VIEW xalt_pkg AS SELECT
    run.id * 4294967296 + package.id AS pkg_id,
    run.id AS run_id,
    coalesce(package.program, '') AS program,
    coalesce(package.name, '') AS pkg_name,
    package.version AS pkg_version,
    package.path AS pkg_path
FROM run_package
JOIN run ON run.uuid = run_package.run_uuid AND run.package_owner = run_package.owner
    AND run.proven <= run_package.proven
JOIN package ON package.id = run_package.package_id;

-- The number of a user or an account is that of their first run; the pseudonym is made of it.
CREATE OR REPLACE VIEW xalt_user AS SELECT
    min(id) AS usr_id,
    user AS user,
    replace('u#', '#', min(id)) AS anon_user
FROM run
WHERE user IS NOT NULL
GROUP BY user;

CREATE OR REPLACE VIEW xalt_account AS SELECT
    min(run.id) AS acct_id,
    run.account AS account,
    replace('a#', '#', min(run.id)) AS anon_user,
    coalesce(max(account_field.field_of_science), '') AS field_of_science
FROM run
LEFT JOIN account_field ON account_field.account = run.account
WHERE run.account IS NOT NULL
GROUP BY run.account;

CREATE OR REPLACE VIEW xalt_field_of_science AS SELECT
    id AS fos_id,
    account AS account,
    field_of_science AS field_of_science,
    directorate AS directorate
FROM account_field;
