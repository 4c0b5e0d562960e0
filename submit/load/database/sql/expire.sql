-- SPDX-License-Identifier: LGPL-2.1-or-later
-- What goes when runs expire, in both databases, in this order: what used a row goes before it. WHERE run_id = ?: with its
-- run, whose id another one may get. Other ? are the moment. Extensions have more: contrib/NAME/load/expire.sql.
DELETE FROM program WHERE id NOT IN (SELECT program_id FROM run_own);
DELETE FROM job_part WHERE id NOT IN (SELECT job_part_id FROM run_own);
DELETE FROM layout WHERE id NOT IN (SELECT layout_id FROM run_own);
DELETE FROM ending WHERE id NOT IN (SELECT ending_id FROM run_own);
DELETE FROM build WHERE id NOT IN (SELECT build_id FROM program WHERE build_id IS NOT NULL) AND build_epoch < ?;
DELETE FROM link WHERE build_epoch < ? AND NOT EXISTS (SELECT 1 FROM build WHERE build_uuid = link.uuid AND
    coalesce(build.build_user, '') = link.build_user);
UPDATE link SET xalt_uuid = uuid WHERE xalt_uuid <> uuid AND 1 = (SELECT count(*) FROM link AS other WHERE other.uuid
    = link.uuid AND other.proven >= link.proven);
DELETE FROM environment WHERE id NOT IN (SELECT environment_id FROM run_own WHERE environment_id IS NOT NULL);
DELETE FROM env_value WHERE id NOT IN (SELECT env_value_id FROM environment_member);
DELETE FROM env_name WHERE id NOT IN (SELECT env_name_id FROM env_value);
DELETE FROM ancestors WHERE id NOT IN (SELECT ancestors_id FROM run_own WHERE ancestors_id IS NOT NULL);
DELETE FROM object_set WHERE id NOT IN (SELECT object_set_id FROM program WHERE object_set_id IS NOT NULL) AND id NOT
    IN (SELECT object_set_id FROM link WHERE object_set_id IS NOT NULL);
DELETE FROM object_set_member WHERE object_set_id NOT IN (SELECT id FROM object_set);
DELETE FROM object WHERE id NOT IN (SELECT object_id FROM object_set_member);
DELETE FROM executable WHERE id NOT IN (SELECT executable_id FROM program WHERE executable_id IS NOT NULL) AND id NOT
    IN (SELECT executable_id FROM link WHERE executable_id IS NOT NULL);
DELETE FROM function_set WHERE id NOT IN (SELECT function_set_id FROM link WHERE function_set_id IS NOT NULL);
DELETE FROM function_set_member WHERE function_set_id NOT IN (SELECT id FROM function_set);
DELETE FROM function_name WHERE id NOT IN (SELECT function_name_id FROM function_set_member);
DELETE FROM package WHERE id NOT IN (SELECT package_id FROM run_package);
DELETE FROM package_owner WHERE id NOT IN (SELECT owner FROM run_package);
DELETE FROM coverage WHERE end_time < ?;
DELETE FROM slurm_job WHERE end_time < ?;
DELETE FROM job_again WHERE start_time < ?;
DELETE FROM run_day WHERE run_id = ?;
