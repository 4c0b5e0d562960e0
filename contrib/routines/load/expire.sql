-- SPDX-License-Identifier: LGPL-2.1-or-later
-- As submit/load/database/sql/expire.sql.
DELETE FROM routine WHERE id NOT IN (SELECT routine_id FROM run_routine);
DELETE FROM routine_library WHERE id NOT IN (SELECT routine_library_id FROM routine) AND id NOT IN (SELECT
    routine_library_id FROM run_routine_library);
DELETE FROM routine_maker WHERE day < ? / 86400.0 - 1 OR (routine_library_id <> 0 AND routine_library_id NOT IN
    (SELECT id FROM routine_library));
DELETE FROM run_routine WHERE run_id = ?;
DELETE FROM run_routine_library WHERE run_id = ?;
DELETE FROM run_routine_watch WHERE run_id = ?;
