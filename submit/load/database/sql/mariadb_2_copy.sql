-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 2, after mariadb.sql: the rows of the old `run`. It goes last: until then all may
-- be run again. The server knows nothing of the new tables' sizes yet, so it is told how to join them.
BEGIN NOT ATOMIC
    IF EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = database()
               AND table_name = 'run_2') THEN
        -- uuids were kept as they were written: a run that is there in both cases stays with its end
        DELETE capital FROM run_2 AS capital JOIN run_2 AS other ON other.uuid = lower(capital.uuid)
        WHERE capital.uuid <> lower(capital.uuid) AND capital.is_start_only <> 0;
        DELETE other FROM run_2 AS capital JOIN run_2 AS other ON other.uuid = lower(capital.uuid)
        WHERE capital.uuid <> lower(capital.uuid) AND other.is_start_only <> 0;
        ALTER TABLE run_2
            ADD COLUMN IF NOT EXISTS program_digest BINARY(20),
            ADD COLUMN IF NOT EXISTS job_part_digest BINARY(20),
            ADD COLUMN IF NOT EXISTS layout_digest BINARY(20),
            ADD COLUMN IF NOT EXISTS ending_digest BINARY(20);
        UPDATE run_2 SET
            program_digest = unhex(sha1(concat_ws(x'00',
                coalesce(cast(executable_id AS BINARY), x'ff'),
                coalesce(cast(object_set_id AS BINARY), x'ff'),
                coalesce(cast(build_id AS BINARY), x'ff'),
                coalesce(cast(exec_type AS BINARY), x'ff'),
                coalesce(cast(exec_epoch AS BINARY), x'ff')))),
            job_part_digest = unhex(sha1(concat_ws(x'00', coalesce(cast(user AS BINARY), x'ff'),
                coalesce(cast(account AS BINARY), x'ff'), coalesce(cast(queue AS BINARY), x'ff'),
                coalesce(cast(scheduler AS BINARY), x'ff'),
                coalesce(cast(syshost AS BINARY), x'ff'),
                coalesce(cast(submit_host AS BINARY), x'ff'),
                coalesce(cast(container AS BINARY), x'ff'), coalesce(cast(cwd AS BINARY), x'ff'),
                coalesce(cast(job_id AS BINARY), x'ff'),
                coalesce(cast(job_id_raw AS BINARY), x'ff'),
                coalesce(cast(array_job_id AS BINARY), x'ff'),
                coalesce(cast(array_task_id AS BINARY), x'ff'),
                coalesce(cast(het_job_id AS BINARY), x'ff'),
                coalesce(cast(het_offset AS BINARY), x'ff'),
                coalesce(cast(restart_count AS BINARY), x'ff'),
                coalesce(cast(cluster AS BINARY), x'ff'),
                coalesce(cast(`partition` AS BINARY), x'ff'), coalesce(cast(qos AS BINARY), x'ff'),
                coalesce(cast(node AS BINARY), x'ff'), coalesce(cast(dropped AS BINARY), x'ff')))),
            layout_digest = unhex(sha1(concat_ws(x'00',
                coalesce(cast(probability AS BINARY), x'ff'),
                coalesce(cast(num_tasks AS BINARY), x'ff'),
                coalesce(cast(num_nodes AS BINARY), x'ff'),
                coalesce(cast(num_cores AS BINARY), x'ff'),
                coalesce(cast(num_threads AS BINARY), x'ff'),
                coalesce(cast(num_gpus AS BINARY), x'ff'), coalesce(cast(node_id AS BINARY), x'ff'),
                coalesce(cast(task_id AS BINARY), x'ff'),
                coalesce(cast(cpus_alloc AS BINARY), x'ff'),
                coalesce(cast(gpus_alloc AS BINARY), x'ff')))),
            ending_digest = unhex(sha1(concat_ws(x'00', coalesce(cast(exit_code AS BINARY), x'ff'),
                coalesce(cast(`signal` AS BINARY), x'ff'),
                coalesce(cast(core_dumped AS BINARY), x'ff'),
                coalesce(cast(end_source AS BINARY), x'ff'),
                coalesce(cast(end_time_error AS BINARY), x'ff'))));
        INSERT IGNORE INTO program (identity, executable_id, object_set_id, build_id, exec_type,
            exec_epoch)
        SELECT program_digest, executable_id, object_set_id, build_id, exec_type, exec_epoch
        FROM run_2 ORDER BY id;
        INSERT IGNORE INTO job_part (identity, user, account, queue, scheduler, syshost,
            submit_host, container, cwd, job_id, job_id_raw, array_job_id, array_task_id,
            het_job_id, het_offset, restart_count, cluster, `partition`, qos, node, dropped)
        SELECT job_part_digest, user, account, queue, scheduler, syshost, submit_host, container,
            cwd, job_id, job_id_raw, array_job_id, array_task_id, het_job_id, het_offset,
            restart_count, cluster, `partition`, qos, node, dropped FROM run_2 ORDER BY id;
        INSERT IGNORE INTO layout (identity, probability, num_tasks, num_nodes, num_cores,
            num_threads, num_gpus, node_id, task_id, cpus_alloc, gpus_alloc)
        SELECT layout_digest, probability, num_tasks, num_nodes, num_cores, num_threads, num_gpus,
            node_id, task_id, cpus_alloc, gpus_alloc FROM run_2 ORDER BY id;
        INSERT IGNORE INTO ending (identity, exit_code, `signal`, core_dumped, end_source,
            end_time_error)
        SELECT ending_digest, exit_code, `signal`, core_dumped, end_source, end_time_error
        FROM run_2 ORDER BY id;
        INSERT IGNORE INTO run_own (id, uuid, owner, proven, is_start_only, date, step_id, cmdline,
            ancestor_pids, program_id, job_part_id, layout_id, ending_id, environment_id, ancestors_id,
            record_epoch, start_time, end_time, run_time)
        SELECT STRAIGHT_JOIN run_2.id, uuid,
            CAST(CONV(LEFT(SHA1(concat_ws(x'00', coalesce(cast(run_2.user AS BINARY), x'ff'),
            coalesce(IF(run_2.restart_count IS NULL,
            coalesce(cast(run_2.job_id_raw AS BINARY), cast(run_2.job_id AS BINARY)),
            cast(run_2.job_id_raw AS BINARY)), x'ff'),
            coalesce(cast(run_2.restart_count AS BINARY), x'ff'),
            coalesce(cast(run_2.cluster AS BINARY), x'ff'))), 16), 16, 10)
            AS UNSIGNED) >> 2 << 1 | (run_2.restart_count IS NOT NULL),
            1, is_start_only, date, step_id, cmdline, ancestor_pids, program.id,
            job_part.id, layout.id, ending.id, environment_id, ancestors_id,
            IF(start_time IS NULL, record_epoch, NULL), start_time, end_time, run_time
        FROM run_2
        JOIN program FORCE INDEX (identity) ON program.identity = program_digest
        JOIN job_part FORCE INDEX (identity) ON job_part.identity = job_part_digest
        JOIN layout FORCE INDEX (identity) ON layout.identity = layout_digest
        JOIN ending FORCE INDEX (identity) ON ending.identity = ending_digest
        ORDER BY run_2.id;
        DROP TABLE run_2;
    END IF;
END;
