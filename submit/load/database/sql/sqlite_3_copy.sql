-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 3, after sqlite.sql: the rows of the old tables. owner(...) is the loader's own function.
INSERT INTO run_own (id, uuid, owner, proven, is_start_only, date, step_id, cmdline, ancestor_pids,
    program_id, job_part_id, layout_id, ending_id, environment_id, ancestors_id, record_epoch,
    start_time, end_time, run_time)
SELECT run.id, run.uuid, owner(job.user, CASE WHEN job.restart_count IS NULL
        THEN coalesce(job.job_id_raw, job.job_id) ELSE job.job_id_raw END, job.restart_count, job.cluster),
    1, run.is_start_only, run.date, run.step_id, run.cmdline, run.ancestor_pids, run.program_id,
    run.job_part_id, run.layout_id, run.ending_id, run.environment_id, run.ancestors_id,
    run.record_epoch, run.start_time, run.end_time, run.run_time
FROM run_own_3 AS run JOIN job_part AS job ON job.id = run.job_part_id
ORDER BY run.id;
DROP TABLE run_own_3;

INSERT INTO link (id, uuid, build_user, xalt_uuid, proven, date, executable_id, object_set_id,
    function_set_id, link_program, link_path, module_id, link_line, cwd, build_host, build_syshost,
    build_epoch)
SELECT id, uuid, coalesce(build_user, ''), uuid, 1, date, executable_id, object_set_id,
    function_set_id, link_program, link_path, module_id, link_line, cwd, build_host, build_syshost,
    build_epoch
FROM link_3;
DROP TABLE link_3;

-- Packages had no owner: they stay with their run. Those without a run are XALT's, as far as they say.
INSERT INTO run_package (id, run_uuid, owner, package_id, proven)
SELECT id, run_uuid,
    coalesce((SELECT owner FROM run_own WHERE uuid = run_uuid AND owner % 2 = 1), 0), package_id, 1
FROM run_package_3
ORDER BY id;
DROP TABLE run_package_3;

INSERT INTO coverage
SELECT uuid, owner(user, job_id_raw, restart_count, cluster), 1, position, cluster, syshost, user,
    account, partition, job_id_raw, array_job_id, array_task_id, het_job_id, het_offset,
    restart_count, node, dropped, step_id, outcome, program, tasks, first_task, leader,
    core_seconds, start_time, end_time
FROM coverage_3;
DROP TABLE coverage_3;
