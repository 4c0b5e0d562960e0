-- SPDX-License-Identifier: LGPL-2.1-or-later
-- Users see their own runs in MariaDB: run it as the database's administrator, once, and again after each
-- jobtrail-load that renewed the tables:
--
--     mariadb < own-runs-mariadb.sql
--     CREATE USER alice IDENTIFIED ...; GRANT SELECT ON jobtrail_own.* TO alice;
--     jobtrail-acct --store mariadb://alice@HOST/jobtrail_own
--
-- `jobtrail` is the database that jobtrail-load fills. jobtrail_own has views of the same names, with the rows
-- of the user who has the name of the database account. The views read as an account that cannot log in. The
-- name is the one that the account logged in with, up to the last @ of USER(): no privilege, role or setting of
-- a session changes it. There must be no anonymous account, since anybody could log in to it by any name.
--
-- Each view has a LIMIT that is never reached: it makes MariaDB evaluate the view before the conditions of a
-- query. Otherwise a condition such as extractvalue(1, cmdline) would be evaluated on other users' rows, and
-- its error would show their content.

DELIMITER //
BEGIN NOT ATOMIC
    IF EXISTS (SELECT 1 FROM mysql.user WHERE User = '') THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
            'an anonymous account lets anybody log in by any name: drop it first';
    END IF;
END//
DELIMITER ;

CREATE DATABASE IF NOT EXISTS jobtrail_own;
CREATE USER IF NOT EXISTS jobtrail_own@localhost ACCOUNT LOCK;
GRANT SELECT ON jobtrail.* TO jobtrail_own@localhost;

USE jobtrail_own;

DELIMITER //
-- CALL make_view(NAME, CONDITION): of the table of that name, the rows for which it is true
CREATE OR REPLACE PROCEDURE make_view(name VARCHAR(64), which TEXT)
SQL SECURITY INVOKER
BEGIN
    SET @me = "(SELECT cast(left(user(), char_length(user()) - 1 -
        char_length(substring_index(user(), '@', -1))) AS CHAR CHARACTER SET utf8mb4))";
    SET @runs = concat("jobtrail.run_own WHERE job_part_id IN
        (SELECT id FROM jobtrail.job_part WHERE user = ", @me, ")");
    SET @programs = concat("jobtrail.program WHERE id IN (SELECT program_id FROM ", @runs, ")");
    SET @links = concat("jobtrail.link WHERE build_user = ", @me);
    SET @sets = concat("(SELECT object_set_id FROM ", @programs, " UNION SELECT object_set_id FROM ", @links, ")");
    SET @variables = concat("(SELECT env_value_id FROM jobtrail.environment_member
        WHERE environment_id IN (SELECT environment_id FROM ", @runs, "))");
    SET which = replace(replace(replace(replace(replace(replace(which, '{me}', @me), '{runs}', @runs),
        '{programs}', @programs), '{links}', @links), '{sets}', @sets), '{variables}', @variables);
    EXECUTE IMMEDIATE concat("CREATE OR REPLACE DEFINER = jobtrail_own@localhost SQL SECURITY DEFINER
        VIEW jobtrail_own.`", name, "` AS SELECT * FROM jobtrail.`", name, "` WHERE ", which,
        " LIMIT 18446744073709551615");
END//
DELIMITER ;

CALL make_view('store_state', 'true');
CALL make_view('module', 'true');
CALL make_view('job_part', 'user = {me}');
CALL make_view('run', 'user = {me}');
CALL make_view('run_day', 'run_id IN (SELECT id FROM {runs})');
CALL make_view('run_routine', 'run_id IN (SELECT id FROM {runs})');
CALL make_view('run_routine_library', 'run_id IN (SELECT id FROM {runs})');
CALL make_view('run_routine_watch', 'run_id IN (SELECT id FROM {runs})');
CALL make_view('routine', 'id IN (SELECT routine_id FROM jobtrail.run_routine WHERE run_id IN (SELECT id FROM {runs}))');
CALL make_view('routine_library',
    'id IN (SELECT routine_library_id FROM jobtrail.run_routine_library WHERE run_id IN (SELECT id FROM {runs}))');
CALL make_view('coverage', 'user = {me}');
CALL make_view('ranks', 'user = {me}');
CALL make_view('profile', 'user = {me}');
CALL make_view('slurm_job', 'user = {me}');
CALL make_view('executable',
    'id IN (SELECT executable_id FROM {programs} UNION SELECT executable_id FROM {links})');
CALL make_view('object_set_member', 'object_set_id IN {sets}');
CALL make_view('object',
    'id IN (SELECT object_id FROM jobtrail.object_set_member WHERE object_set_id IN {sets})');
CALL make_view('build', 'id IN (SELECT build_id FROM {programs})');
CALL make_view('link', 'build_user = {me}');
CALL make_view('function_set_member', 'function_set_id IN (SELECT function_set_id FROM {links})');
CALL make_view('function_name', 'id IN (SELECT function_name_id FROM jobtrail.function_set_member
    WHERE function_set_id IN (SELECT function_set_id FROM {links}))');
CALL make_view('environment_member', 'environment_id IN (SELECT environment_id FROM {runs})');
CALL make_view('env_value', 'id IN {variables}');
CALL make_view('env_name',
    'id IN (SELECT env_name_id FROM jobtrail.env_value WHERE id IN {variables})');
CALL make_view('ancestors', 'id IN (SELECT ancestors_id FROM {runs})');

SET @packages = 'EXISTS (SELECT 1 FROM jobtrail.run AS ours WHERE ours.uuid = run_package.run_uuid
    AND ours.package_owner = run_package.owner AND ours.user = {me})';
CALL make_view('run_package', @packages);
CALL make_view('package',
    concat('id IN (SELECT package_id FROM jobtrail.run_package WHERE ', @packages, ')'));
CALL make_view('account_field',
    'account IN (SELECT account FROM jobtrail.job_part WHERE user = {me})');

DROP PROCEDURE make_view;
