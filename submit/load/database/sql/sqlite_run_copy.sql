-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The rows of `run` of version 2, which are in run_2, go to the tables that later versions have for them.
-- digest(...) and owner(...) are the loader's own functions.

INSERT OR IGNORE INTO program (identity, executable_id, object_set_id, build_id, exec_type,
    exec_epoch)
SELECT digest(executable_id, object_set_id, build_id, exec_type, exec_epoch), executable_id,
    object_set_id, build_id, exec_type, exec_epoch
FROM run_2 ORDER BY id;

INSERT OR IGNORE INTO job_part (identity, user, account, queue, scheduler, syshost, submit_host,
    container, cwd, job_id, job_id_raw, array_job_id, array_task_id, het_job_id, het_offset,
    restart_count, cluster, partition, qos, node, dropped)
SELECT digest(user, account, queue, scheduler, syshost, submit_host, container, cwd, job_id,
    job_id_raw, array_job_id, array_task_id, het_job_id, het_offset, restart_count, cluster,
    partition, qos, node, dropped), user, account, queue, scheduler, syshost, submit_host,
    container, cwd, job_id, job_id_raw, array_job_id, array_task_id, het_job_id, het_offset,
    restart_count, cluster, partition, qos, node, dropped
FROM run_2 ORDER BY id;

INSERT OR IGNORE INTO layout (identity, probability, num_tasks, num_nodes, num_cores, num_threads,
    num_gpus, node_id, task_id, cpus_alloc, gpus_alloc)
SELECT digest(probability, num_tasks, num_nodes, num_cores, num_threads, num_gpus, node_id, task_id,
    cpus_alloc, gpus_alloc), probability, num_tasks, num_nodes, num_cores, num_threads, num_gpus,
    node_id, task_id, cpus_alloc, gpus_alloc
FROM run_2 ORDER BY id;

INSERT OR IGNORE INTO ending (identity, exit_code, signal, core_dumped, end_source, end_time_error)
SELECT digest(exit_code, signal, core_dumped, end_source, end_time_error), exit_code, signal,
    core_dumped, end_source, end_time_error
FROM run_2 ORDER BY id;

INSERT INTO run_own (id, uuid, owner, proven, is_start_only, date, step_id, cmdline, ancestor_pids, program_id,
    job_part_id, layout_id, ending_id, environment_id, ancestors_id, record_epoch, start_time,
    end_time, run_time)
SELECT id, uuid, owner(user, CASE WHEN restart_count IS NULL THEN coalesce(job_id_raw, job_id)
        ELSE job_id_raw END, restart_count, cluster),
    1, is_start_only, date, step_id, cmdline, ancestor_pids,
    (SELECT id FROM program WHERE identity = digest(run_2.executable_id, run_2.object_set_id,
        run_2.build_id, run_2.exec_type, run_2.exec_epoch)),
    (SELECT id FROM job_part WHERE identity = digest(run_2.user, run_2.account, run_2.queue,
        run_2.scheduler, run_2.syshost, run_2.submit_host, run_2.container, run_2.cwd, run_2.job_id,
        run_2.job_id_raw, run_2.array_job_id, run_2.array_task_id, run_2.het_job_id,
        run_2.het_offset, run_2.restart_count, run_2.cluster, run_2.partition, run_2.qos,
        run_2.node, run_2.dropped)),
    (SELECT id FROM layout WHERE identity = digest(run_2.probability, run_2.num_tasks,
        run_2.num_nodes, run_2.num_cores, run_2.num_threads, run_2.num_gpus, run_2.node_id,
        run_2.task_id, run_2.cpus_alloc, run_2.gpus_alloc)),
    (SELECT id FROM ending WHERE identity = digest(run_2.exit_code, run_2.signal, run_2.core_dumped,
        run_2.end_source, run_2.end_time_error)),
    environment_id, ancestors_id, CASE WHEN start_time IS NULL THEN record_epoch END, start_time,
    end_time, run_time
FROM run_2 ORDER BY id;

DROP TABLE run_2;

-- Packages had no owner: they stay with their run.
UPDATE run_package SET owner = (SELECT owner FROM run_own WHERE uuid = run_uuid)
WHERE run_uuid IN (SELECT uuid FROM run_own WHERE owner % 2 = 1);
